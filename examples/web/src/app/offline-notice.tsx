import { useSyncExternalStore } from 'react';
import { Icon } from '../design/icon.tsx';
import { useTexts } from '../texts/texts.tsx';

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
  const { errors } = useTexts();
  const isOnline = useSyncExternalStore(onChange, () => navigator.onLine);
  return (
    <output className={isOnline ? 'visually-hidden' : 'notice warn'}>
      {isOnline ? (
        ''
      ) : (
        <>
          <Icon icon="offline" />
          <span>{errors.offline}</span>
        </>
      )}
    </output>
  );
};
