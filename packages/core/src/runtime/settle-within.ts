import type { Clock } from './clock.port.ts';
import type { Signal } from './signal.ts';
import { unlessAborted } from './unless-aborted.ts';

/** When a wait ends, in milliseconds of the clock, and with which result. */
export interface WaitLimits<T> {
  readonly clock: Pick<Clock, 'after'>;
  readonly timeoutMs: number;
  /** Must not throw; nor must `onAbort`. */
  readonly onTimeout: () => T;
  /** Default: only the timeout ends the wait. */
  readonly signal?: Signal | undefined;
  /** Called if `signal` aborts. Default: `onTimeout`. */
  readonly onAbort?: () => T;
}

/**
 * Settles like `work`, or with the result of `onTimeout` or `onAbort` if that is first. Only the wait
 * ends: the work goes on unless the caller cancels it. A later failure of the work is ignored.
 */
export const settleWithin = async <T>(
  work: PromiseLike<T>,
  { clock, timeoutMs, onTimeout, signal, onAbort = onTimeout }: WaitLimits<T>,
): Promise<T> => {
  const { promise: timedOut, resolve } = Promise.withResolvers<T>();
  const cancel = clock.after(timeoutMs, () => resolve(onTimeout()));
  try {
    return await unlessAborted(signal, Promise.race([timedOut, work]), onAbort);
  } finally {
    cancel();
  }
};
