import type { Clock } from './clock.port.ts';
import type { RateLimiter } from './rate-limiter.port.ts';

export interface MemoryRateLimiterSettings {
  readonly clock: Clock;
  /** The number of requests that each caller may make in one window. */
  readonly requests: number;
  /** The length of a window, which starts with a caller's first request. */
  readonly seconds: number;
  /** The maximum number of callers. Beyond it, the older half of the windows is dropped. Default 100,000. */
  readonly maxCallers?: number;
}

interface Window {
  count: number;
  readonly endsAt: number;
}

/** Counts callers in memory, for one process: with several instances, a caller gets the full allowance on each. */
export const memoryRateLimiter = ({
  clock,
  requests,
  seconds,
  maxCallers = 100_000,
}: MemoryRateLimiterSettings): RateLimiter => {
  const windowMs = seconds * 1000;
  // Two generations, rotated without a timer: when the current one is as old as a window, the previous one has expired.
  let current = new Map<string, Window>();
  let previous = new Map<string, Window>();
  let rotatedAt = clock.monotonic();

  const startWindow = (caller: string, now: number): Window => {
    if (now - rotatedAt >= windowMs || current.size >= maxCallers / 2) {
      previous = current;
      current = new Map();
      rotatedAt = now;
    }
    const started = { count: 0, endsAt: now + windowMs };
    current.set(caller, started);
    return started;
  };

  return {
    take: (caller) => {
      const now = clock.monotonic();
      const known = current.get(caller) ?? previous.get(caller);
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
