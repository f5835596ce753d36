import type { Clock } from './clock.port.ts';
import type { Signal } from './signal.ts';

/** When to stop waiting, in milliseconds of the clock, and the result that takes the place of the one that is late. */
export interface WaitLimits<T> {
  readonly clock: Pick<Clock, 'after'>;
  readonly timeoutMs: number;
  readonly onTimeout: () => T;
  /** Default: only the timeout ends the wait. */
  readonly signal?: Signal | undefined;
  /** Called if `signal` aborts. Default: `onTimeout`. */
  readonly onAbort?: () => T;
}

/**
 * Settles like `work`, or with the result of `onTimeout` or `onAbort` if that is first. It only ends the wait: the caller
 * cancels the work. A later failure of the work is ignored.
 */
export const settleWithin = async <T>(
  work: PromiseLike<T>,
  { clock, timeoutMs, onTimeout, signal, onAbort = onTimeout }: WaitLimits<T>,
): Promise<T> => {
  const { promise: ended, resolve } = Promise.withResolvers<T>();
  const cancel = clock.after(timeoutMs, () => resolve(onTimeout()));
  const abort = () => resolve(onAbort());
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([ended, work]);
  } finally {
    cancel();
    signal?.removeEventListener('abort', abort);
  }
};
