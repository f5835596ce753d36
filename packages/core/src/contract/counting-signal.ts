import type { Signal } from '../runtime/signal.ts';

/** A signal that is never aborted, and counts its listeners. */
export const countingSignal = () => {
  const listeners = new Set<() => void>();
  const signal: Signal = {
    aborted: false,
    addEventListener: (_, listener) => void listeners.add(listener),
    removeEventListener: (_, listener) => void listeners.delete(listener),
  };
  return { signal, listeners };
};
