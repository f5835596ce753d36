import { fakeClock } from './clock.fake.ts';
import type { Clock } from './clock.port.ts';
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

/** Counts each caller in windows that start with its first request. */
export const fakeRateLimiter = ({
  requests = Infinity,
  seconds = fakeRateLimiterDefaults.seconds,
  clock = fakeClock(),
}: FakeRateLimiterSettings = {}): FakeRateLimiter => {
  const taken: string[] = [];
  const windows = new Map<string, { readonly count: number; readonly endsAt: number }>();
  let degradedReason: string | undefined;
  return {
    taken,
    take: (caller) => {
      taken.push(caller);
      if (degradedReason !== undefined) return Promise.resolve({ isAllowed: true });
      const now = clock.monotonic();
      const known = windows.get(caller);
      const { count, endsAt } = known && known.endsAt > now ? known : { count: 0, endsAt: now + seconds * 1000 };
      windows.set(caller, { count: count + 1, endsAt });
      return Promise.resolve(
        count < requests
          ? { isAllowed: true }
          : { isAllowed: false, retryAfterSeconds: Math.ceil((endsAt - now) / 1000) },
      );
    },
    get degradedReason() {
      return degradedReason;
    },
    failWith: (next) => {
      degradedReason = next;
    },
  };
};
