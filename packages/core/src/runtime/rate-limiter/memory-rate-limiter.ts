import type { Clock } from '../clock.port.ts';
import { Generations } from '../generations.ts';
import type { RateLimiter } from './rate-limiter.port.ts';

export const rateLimiterDefaults = { maxCallers: 100_000 } as const;

/** Defaults: `rateLimiterDefaults`. */
export interface MemoryRateLimiterSettings {
  readonly clock: Clock;
  /** The number of requests that each caller may make in one window. */
  readonly requests: number;
  /** The length of a window, which starts with a caller's first request. */
  readonly seconds: number;
  /** The maximum number of callers. Beyond it, the older half of the windows is dropped. */
  readonly maxCallers?: number;
}

interface Window {
  count: number;
  readonly endsAt: number;
}

/**
 * Counts callers in memory, for one process: with several instances, a caller gets the full allowance on each. Throws
 * `TypeError` for numbers that are not positive, except `requests: 0`.
 */
export const memoryRateLimiter = ({
  clock,
  requests,
  seconds,
  maxCallers = rateLimiterDefaults.maxCallers,
}: MemoryRateLimiterSettings): RateLimiter => {
  if (!(requests >= 0 && seconds > 0 && maxCallers > 0))
    throw new TypeError('The numbers of a rate limiter must be positive; requests may be 0.');
  const windowMs = seconds * 1000;
  const windows = new Generations<Window>(clock, windowMs, maxCallers / 2);

  const startWindow = (caller: string, now: number): Window => {
    const started = { count: 0, endsAt: now + windowMs };
    windows.set(caller, started);
    return started;
  };

  return {
    take: (caller) => {
      const now = clock.monotonic();
      const known = windows.get(caller);
      const window = known && known.endsAt > now ? known : startWindow(caller, now);
      window.count++;
      return Promise.resolve(
        window.count <= requests
          ? { isAllowed: true }
          : { isAllowed: false, retryAfterSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)) },
      );
    },
  };
};
