import { useMemo, useSyncExternalStore } from 'react';

/**
 * Which notifications the member has read: in this browser only, because most services keep no such state. It outlives the
 * session, so that notifications are not unread again at the next sign-in, and has nothing of their content.
 */
const storageKey = 'portico:read-notifications';

/** Limits the storage: the oldest keys are forgotten first. */
const maxKeys = 500;

/** Used until the page is closed if the browser cannot store the state. */
let memory: string | undefined;

const listeners = new Set<() => void>();

const stored = (): string => {
  try {
    return memory ?? window.localStorage.getItem(storageKey) ?? '';
  } catch {
    return '';
  }
};

/** Returns no keys if the stored value is not a list. */
const parse = (text: string): readonly string[] => {
  try {
    const keys: unknown = JSON.parse(text);
    return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
  } catch {
    return [];
  }
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  // Reports changes by other tabs.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
};

/** The keys of the notifications that were read in this browser. */
export const readKeys = (): readonly string[] => parse(stored());

/** The same as a set that follows changes, also by another tab. */
export const useReadKeys = (): ReadonlySet<string> => {
  const text = useSyncExternalStore(subscribe, stored);
  return useMemo(() => new Set(parse(text)), [text]);
};

/** Marks notifications as read. */
export const markRead = (keys: readonly string[]): void => {
  const others = readKeys().filter((key) => !keys.includes(key));
  const text = JSON.stringify([...others, ...keys].slice(-maxKeys));
  try {
    window.localStorage.setItem(storageKey, text);
  } catch {
    memory = text;
  }
  for (const listener of listeners) listener();
};
