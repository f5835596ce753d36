import { changing, testSuite } from '../../contract/suite-test.test.support.ts';
import { unsafeInEveryPort } from '../../contract/unsafe-adapters.test.support.ts';
import { fakeClock } from '../clock.fake.ts';
import { type RateLimiterSubject, rateLimiterContract } from './rate-limiter.contract.ts';
import { fakeRateLimiter } from './rate-limiter.fake.ts';
import type { Allowance, RateLimiter } from './rate-limiter.port.ts';

const subject = (): RateLimiterSubject => {
  const clock = fakeClock();
  let callers = 0;
  return {
    limiter: fakeRateLimiter({ requests: 3, seconds: 10, clock }),
    requests: 3,
    fresh: () => `caller-${++callers}`,
    pass: async (seconds) => clock.advance(seconds * 1000),
  };
};

const withLimiter = changing<'limiter', RateLimiterSubject>('limiter');

const countingAs = (name: (caller: string) => string) =>
  withLimiter((limiter) => ({ take: (caller) => limiter.take(name(caller)) }));

const waiting = (seconds: (reported: number) => number) =>
  withLimiter((limiter) => ({
    take: async (caller) => {
      const allowance = await limiter.take(caller);
      return allowance.isAllowed
        ? allowance
        : { ...allowance, retryAfterSeconds: seconds(allowance.retryAfterSeconds) };
    },
  }));

const allowed: Allowance = { isAllowed: true };

/** Reads the count, and writes it once the event loop has turned. */
const notAtomic = (): Partial<RateLimiter> => {
  const counts = new Map<string, number>();
  return {
    take: async (caller) => {
      const count = counts.get(caller) ?? 0;
      await Promise.resolve();
      counts.set(caller, count + 1);
      return count < 3 ? allowed : { isAllowed: false, retryAfterSeconds: 10 };
    },
  };
};

/** Forgets all but the last ten callers. */
const forgetful = (): Partial<RateLimiter> => {
  const counts = new Map<string, number>();
  return {
    take: async (caller) => {
      const count = counts.get(caller) ?? 0;
      counts.delete(caller);
      counts.set(caller, count + 1);
      for (const oldest of counts.keys()) if (counts.size > 10) counts.delete(oldest);
      return count < 3 ? allowed : { isAllowed: false, retryAfterSeconds: 10 };
    },
  };
};

/** Allows one request more in each window but the first. */
const limitingTheFirstWindow = (good: RateLimiterSubject): RateLimiterSubject => {
  const callers = new Set<string>();
  const free = new Set<string>();
  const limiter: RateLimiter = {
    take: async (caller) => {
      callers.add(caller);
      return free.delete(caller) ? allowed : good.limiter.take(caller);
    },
  };
  const pass = async (seconds: number) => {
    await good.pass(seconds);
    for (const caller of callers) free.add(caller);
  };
  return { ...good, limiter, pass };
};

/** Refills a caller's tokens one by one. */
const refilling = (good: RateLimiterSubject): RateLimiterSubject => {
  const tokens = new Map<string, number>();
  const limiter: RateLimiter = {
    take: async (caller) => {
      const left = tokens.get(caller) ?? 3;
      tokens.set(caller, Math.max(0, left - 1));
      return left > 0 ? allowed : { isAllowed: false, retryAfterSeconds: 4 };
    },
  };
  const pass = async (seconds: number) => {
    for (const [caller, left] of tokens) tokens.set(caller, Math.min(3, left + Math.floor(seconds / 4)));
  };
  return { ...good, limiter, pass };
};

testSuite<RateLimiterSubject>(
  'rate limiter',
  rateLimiterContract,
  subject,
  [
    ...unsafeInEveryPort<'limiter', RateLimiterSubject>('limiter').filter(([does]) => !does.startsWith('shows')),
    [
      'allows every request',
      withLimiter(() => ({ take: async () => allowed })),
      'allows exactly the limit, also for concurrent requests',
    ],
    [
      'counts concurrent requests as one',
      withLimiter(notAtomic),
      'allows exactly the limit, also for concurrent requests',
    ],
    [
      'allows one request less',
      withLimiter((limiter) => ({
        take: async (caller) => {
          await limiter.take(`${caller}-`);
          const { isAllowed } = await limiter.take(caller);
          return isAllowed && (await limiter.take(caller)).isAllowed
            ? allowed
            : { isAllowed: false, retryAfterSeconds: 10 };
        },
      })),
      'allows exactly the limit, also for concurrent requests',
    ],
    ['reports to retry at once', waiting(() => 0), 'reports when to retry, in whole seconds'],
    ['reports fractions of a second', waiting((seconds) => seconds + 0.5), 'reports when to retry, in whole seconds'],
    [
      'allows one request more in each window but the first',
      limitingTheFirstWindow,
      'allows a caller again after the reported seconds',
    ],
    ['reports too early a retry', waiting(() => 1), 'allows a caller again after the reported seconds'],
    [
      'extends the wait with every request',
      (good) => {
        let more = 0;
        return waiting((seconds) => seconds + ++more)(good);
      },
      'does not extend the wait of a caller that keeps sending requests',
    ],
    [
      'counts all callers together',
      countingAs(() => 'all'),
      'does not refuse a caller for the requests of another caller',
    ],
    [
      'counts callers by the beginning of their name',
      countingAs((caller) => caller.slice(0, 8)),
      'does not refuse a caller for the requests of one whose name begins alike',
    ],
    [
      'counts long names by their beginning',
      countingAs((caller) => caller.slice(0, 128)),
      'limits a caller with a long name of any characters',
    ],
    [
      'reports that it is degraded while it works',
      withLimiter(() => ({ degradedReason: 'the store is down' })),
      'reports no degradedReason while it works',
    ],
    [
      'counts callers by the end of their name',
      countingAs((caller) => caller.slice(-4)),
      'does not refuse a caller for the requests of one whose name ends alike, or has another case',
    ],
    [
      'ignores the case of names',
      countingAs((caller) => caller.toLowerCase()),
      'does not refuse a caller for the requests of one whose name ends alike, or has another case',
    ],
    [
      'forgets all but the last callers',
      withLimiter(forgetful),
      'limits a caller also after the requests of many others',
    ],
  ],
  [['refills the limit of a caller gradually', refilling]],
);
