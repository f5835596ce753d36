import type { Clock } from './clock.port.ts';
import type { RateLimiter } from './rate-limiter.port.ts';

export interface MemoryRateLimiterSettings {
  readonly clock: Clock;
  /** How often a caller is let through in one window. */
  readonly requests: number;
  /** How long a window lasts, from a caller's first request. */
  readonly seconds: number;
  /** How many callers are counted at once at most; beyond, the older half of the windows is dropped. Default 100,000. */
  readonly maxCallers?: number;
}

interface Window {
  count: number;
  readonly endsAt: number;
}

/** For one process: several instances each let a caller through as often as this. */
export const memoryRateLimiter = ({
  clock,
  requests,
  seconds,
  maxCallers = 100_000,
}: MemoryRateLimiterSettings): RateLimiter => {
  const windowMs = seconds * 1000;
  // Two generations, turned without a timer: when the younger is a window old, every window of the older has ended.
  let young = new Map<string, Window>();
  let old = new Map<string, Window>();
  let turnedAt = clock.monotonic();

  const begin = (caller: string, now: number): Window => {
    if (now - turnedAt >= windowMs || young.size >= maxCallers / 2) {
      old = young;
      young = new Map();
      turnedAt = now;
    }
    const begun = { count: 0, endsAt: now + windowMs };
    old.delete(caller);
    young.set(caller, begun);
    return begun;
  };

  return {
    take: (caller) => {
      const now = clock.monotonic();
      const known = young.get(caller) ?? old.get(caller);
      const window = known && known.endsAt > now ? known : begin(caller, now);
      window.count++;
      return Promise.resolve(
        window.count <= requests
          ? { isAllowed: true }
          : { isAllowed: false, retryAfterSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)) },
      );
    },
  };
};
