import { fakeClock } from '../clock.fake.ts';
import type { Clock } from '../clock.port.ts';
import { memoryRateLimiter } from './memory-rate-limiter.ts';
import type { RateLimiter } from './rate-limiter.port.ts';

export const fakeRateLimiterDefaults = { seconds: 60 } as const;

/** Defaults: `fakeRateLimiterDefaults`. */
export interface FakeRateLimiterSettings {
  /** The number of requests that each caller may make in a window; 0 refuses every request. Default: unlimited. */
  readonly requests?: number;
  /** The length of a window, which starts with a caller's first request. */
  readonly seconds?: number;
  readonly clock?: Clock;
}

export interface FakeRateLimiter extends RateLimiter {
  /** The caller of each request so far, oldest first. */
  readonly taken: readonly string[];
  /** Makes the limiter degraded for this reason, until `failWith(undefined)`. It then allows every request. */
  failWith(degradedReason: string | undefined): void;
}

/** The memory limiter, which can be made degraded. */
export const fakeRateLimiter = ({
  requests = Infinity,
  seconds = fakeRateLimiterDefaults.seconds,
  clock = fakeClock(),
}: FakeRateLimiterSettings = {}): FakeRateLimiter => {
  const limiter = memoryRateLimiter({ clock, requests, seconds, maxCallers: Infinity });
  const taken: string[] = [];
  let degradedReason: string | undefined;
  return {
    taken,
    take: (caller) => {
      taken.push(caller);
      return degradedReason === undefined ? limiter.take(caller) : Promise.resolve({ isAllowed: true });
    },
    get degradedReason() {
      return degradedReason;
    },
    failWith: (next) => {
      degradedReason = next;
    },
  };
};
