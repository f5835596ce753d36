import { check, equal } from '../../contract/assertions.ts';
import { contractSuite } from '../../contract/contract-suite.ts';
import type { RateLimiter } from './rate-limiter.port.ts';

export interface RateLimiterSubject {
  readonly limiter: RateLimiter;
  /** The number of requests that the limiter allows in one window. */
  readonly requests: number;
  /** Returns a caller that has not been used before. */
  readonly fresh: () => string;
  /** Lets this many seconds pass. */
  readonly pass: (seconds: number) => Promise<void>;
}

type Limited = Pick<RateLimiterSubject, 'limiter' | 'requests'>;

/** Uses up the caller's limit, and returns how many requests were allowed. */
const exhaust = async ({ limiter, requests }: Limited, caller: string) => {
  const allowances = await Promise.all(Array.from({ length: requests }, () => limiter.take(caller)));
  return allowances.filter(({ isAllowed }) => isAllowed).length;
};

/** Checks that the caller is refused, and returns `retryAfterSeconds`. */
const retryAfter = async ({ limiter }: Limited, caller: string): Promise<number> => {
  const allowance = await limiter.take(caller);
  check(!allowance.isAllowed, 'a caller over its limit should have been refused');
  return allowance.isAllowed ? 0 : allowance.retryAfterSeconds;
};

export const rateLimiterContract = contractSuite<RateLimiterSubject>('rate limiter', {
  'allows exactly the limit, also for concurrent requests': async (subject) => {
    const { limiter, requests, fresh } = subject;
    const caller = fresh();
    const allowances = await Promise.all(Array.from({ length: requests + 3 }, () => limiter.take(caller)));
    equal(allowances.filter(({ isAllowed }) => isAllowed).length, requests, 'the number of allowed requests');
  },
  'reports when to retry, in whole seconds': async (subject) => {
    const caller = subject.fresh();
    await exhaust(subject, caller);
    const wait = await retryAfter(subject, caller);
    check(Number.isInteger(wait) && wait >= 1, `retryAfterSeconds should be an integer of at least 1, not ${wait}`);
  },
  'allows a caller again after the reported seconds': async (subject) => {
    const caller = subject.fresh();
    await exhaust(subject, caller);
    await subject.pass(await retryAfter(subject, caller));
    // A limiter that refills gradually allows one request now, and all only later.
    check((await subject.limiter.take(caller)).isAllowed, 'a caller should be allowed again');
    check((await exhaust(subject, caller)) < subject.requests, 'at most the limit should be allowed');
    await retryAfter(subject, caller);
  },
  'does not extend the wait of a caller that keeps sending requests': async (subject) => {
    const caller = subject.fresh();
    await exhaust(subject, caller);
    const first = await retryAfter(subject, caller);
    for (let more = 0; more < 5; more++) await subject.limiter.take(caller);
    const last = await retryAfter(subject, caller);
    check(last <= first, `retryAfterSeconds should not increase: ${first} s, then ${last} s`);
  },
  'does not refuse a caller for the requests of another caller': async (subject) => {
    const [busy, other] = [subject.fresh(), subject.fresh()];
    await exhaust(subject, busy);
    await retryAfter(subject, busy);
    equal(await exhaust(subject, other), subject.requests, 'the number of allowed requests of the other caller');
  },
  'does not refuse a caller for the requests of one whose name begins alike': async (subject) => {
    const caller = subject.fresh();
    await exhaust(subject, caller);
    equal(await exhaust(subject, `${caller}0`), subject.requests, 'the number of allowed requests of the longer name');
    await retryAfter(subject, caller);
  },
  'does not refuse a caller for the requests of one whose name ends alike, or has another case': async (subject) => {
    const caller = `${subject.fresh()}a`;
    await exhaust(subject, caller);
    for (const other of [`0${caller}`, `${caller.slice(0, -1)}A`])
      equal(await exhaust(subject, other), subject.requests, 'the number of allowed requests of the other name');
  },
  'limits a caller also after the requests of many others': async (subject) => {
    const caller = subject.fresh();
    await exhaust(subject, caller);
    await Promise.all(Array.from({ length: 50 }, () => subject.limiter.take(subject.fresh())));
    await retryAfter(subject, caller);
  },
  'limits a caller with a long name of any characters': async (subject) => {
    const caller = `${subject.fresh()} \n{*}:ü%2F`.padEnd(2000, '.');
    equal(await exhaust(subject, caller), subject.requests, 'the number of allowed requests');
    await retryAfter(subject, caller);
    equal(await exhaust(subject, `${caller}!`), subject.requests, 'the number of allowed requests of another one');
  },
  'reports no degradedReason while it works': async ({ limiter, fresh }) => {
    await limiter.take(fresh());
    equal(limiter.degradedReason, undefined, 'the degradedReason');
  },
});
