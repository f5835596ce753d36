import { useSyncExternalStore } from 'react';
import { offline } from './error-message.ts';

const onChange = (notify: () => void) => {
  window.addEventListener('online', notify);
  window.addEventListener('offline', notify);
  return () => {
    window.removeEventListener('online', notify);
    window.removeEventListener('offline', notify);
  };
};

/** A notice while the browser is offline. */
export const OfflineNotice = () => {
  const isOnline = useSyncExternalStore(onChange, () => navigator.onLine);
  return <output className={isOnline ? 'visually-hidden' : 'notice'}>{isOnline ? '' : offline}</output>;
};
