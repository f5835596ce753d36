import type { Signal } from './signal.ts';

/**
 * Settles like `work`, or with the result of `onAbort` if `signal` aborts first. Only the wait ends: the work goes on unless
 * the caller cancels it. A later failure of the work is ignored. `onAbort` must not throw; it may return a promise that rejects.
 */
export const unlessAborted = async <T, A>(
  signal: Signal | undefined,
  work: PromiseLike<T>,
  onAbort: () => A | PromiseLike<A>,
): Promise<T | A> => {
  if (!signal) return work;
  const { promise: aborted, resolve } = Promise.withResolvers<A>();
  const abort = () => resolve(onAbort());
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([aborted, work]);
  } finally {
    // The signal would keep the result in memory.
    signal.removeEventListener('abort', abort);
  }
};
