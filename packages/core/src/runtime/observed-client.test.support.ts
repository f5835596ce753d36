import { createSignal, type Signal } from './signal.ts';

/** A client that can disconnect, and the number of listeners on its signal. */
export const observedClient = () => {
  const { signal: inner, abort } = createSignal();
  const listeners = { abort: new Set<() => void>() };
  const signal: Signal = {
    get aborted() {
      return inner.aborted;
    },
    addEventListener: (type, listener) => {
      listeners[type].add(listener);
      inner.addEventListener(type, listener);
    },
    removeEventListener: (type, listener) => {
      listeners[type].delete(listener);
      inner.removeEventListener(type, listener);
    },
  };
  return {
    signal,
    disconnect: abort,
    get listeners() {
      return listeners.abort.size;
    },
  };
};
