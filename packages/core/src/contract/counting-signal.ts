/** A `Signal` that is never aborted, and counts its listeners. */
export const countingSignal = () => {
  const listeners = new Set<() => void>();
  const signal = {
    aborted: false,
    addEventListener: (_: 'abort', listener: () => void): void => void listeners.add(listener),
    removeEventListener: (_: 'abort', listener: () => void): void => void listeners.delete(listener),
  };
  return { signal, listeners };
};
