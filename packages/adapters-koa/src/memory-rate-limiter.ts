import type { RateLimiter } from '@portico/core';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

export interface MemoryRateLimiterSettings {
  /** How often a caller is let through in one window. */
  readonly requests: number;
  /** How long a window lasts, from a caller's first request. At most 2,000,000. */
  readonly seconds: number;
  /** How many callers are counted at once, at some 500 bytes each; beyond, the oldest windows are given up. Default 100,000. */
  readonly maxCallers?: number;
}

/** For one process: several instances each let a caller through as often as this. */
export const memoryRateLimiter = ({
  requests,
  seconds,
  maxCallers = 100_000,
}: MemoryRateLimiterSettings): RateLimiter => {
  // Each caller has a timer of its own there, which keeps no process alive.
  const limiter = new RateLimiterMemory({ points: requests, duration: seconds, keyPrefix: '' });
  /** By the beginning of their windows. Those that are over stay until there is no room for them. */
  const callers = new Set<string>();
  const remember = (caller: string): void => {
    callers.delete(caller);
    callers.add(caller);
    if (callers.size <= maxCallers) return;
    // Many at once: to find the first, a set steps over all that were deleted before.
    const fewer = callers.size - Math.ceil(maxCallers / 100);
    for (const oldest of callers) {
      if (callers.size === fewer) return;
      callers.delete(oldest);
      void limiter.delete(oldest);
    }
  };
  return {
    take: async (caller) => {
      const { consumedPoints, isFirstInDuration, msBeforeNext } = await limiter
        .consume(caller)
        .catch((refused: RateLimiterRes) => refused);
      if (isFirstInDuration) remember(caller);
      return consumedPoints <= requests
        ? { isAllowed: true }
        : { isAllowed: false, retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
    },
  };
};
