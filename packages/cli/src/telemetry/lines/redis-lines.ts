import type { Cancel, Clock } from '@portico/core';
import type { Log } from '../log.ts';

/** Returns why Redis cannot be used, without private data; undefined if it can. */
export type RedisProblem = () => string | undefined;

/** How often the status is read. A shorter interruption is not logged. */
const intervalMs = 1000;

/** Logs when Redis becomes unavailable, and when it is available again. Returns a function that stops it. */
export const watchRedis = (problem: RedisProblem, log: Log, clock: Clock): Cancel => {
  let isAvailable = true;
  let cancel: Cancel;
  const check = () => {
    const reason = problem();
    if (isAvailable && reason !== undefined) log('warn', 'Redis is unavailable', { reason });
    if (!isAvailable && reason === undefined) log('info', 'Redis is available again');
    isAvailable = reason === undefined;
    cancel = clock.after(intervalMs, check);
  };
  cancel = clock.after(intervalMs, check);
  return () => cancel();
};
