import { contractSuite, equal, holds } from '../shared/contract.ts';
import type { RateLimiter } from './rate-limiter.port.ts';

export interface RateLimiterSubject {
  readonly limiter: RateLimiter;
  /** How often it lets a caller through in one window. */
  readonly requests: number;
  /** Callers that nobody was before. */
  readonly fresh: () => string;
  /** Lets so many seconds go by. */
  readonly pass: (seconds: number) => Promise<void>;
}

type Asking = Pick<RateLimiterSubject, 'limiter' | 'requests'>;

/** Asks until the caller has had its share, and gives how often that was allowed. */
const exhaust = async ({ limiter, requests }: Asking, caller: string) => {
  const allowances = await Promise.all(Array.from({ length: requests }, () => limiter.take(caller)));
  return allowances.filter(({ isAllowed }) => isAllowed).length;
};

/** How long a caller that had its share is told to wait. */
const waitOf = async ({ limiter }: Asking, caller: string): Promise<number> => {
  const allowance = await limiter.take(caller);
  holds(!allowance.isAllowed, 'who had its share should have been refused');
  return allowance.isAllowed ? 0 : allowance.retryAfterSeconds;
};

export const rateLimiterContract = contractSuite<RateLimiterSubject>('rate limiter', {
  'lets a caller through as often as it may, and no more, also when it asks for all at once': async (subject) => {
    const { limiter, requests, fresh } = subject;
    const caller = fresh();
    const allowances = await Promise.all(Array.from({ length: requests + 3 }, () => limiter.take(caller)));
    equal(allowances.filter(({ isAllowed }) => isAllowed).length, requests, 'how often it was let through');
  },
  'says when to come back, in whole seconds': async (subject) => {
    const caller = subject.fresh();
    await exhaust(subject, caller);
    const wait = await waitOf(subject, caller);
    holds(Number.isInteger(wait) && wait >= 1, `should be told whole seconds, at least 1, not ${wait}`);
  },
  'lets a caller through again when it comes back as told': async (subject) => {
    const caller = subject.fresh();
    await exhaust(subject, caller);
    await subject.pass(await waitOf(subject, caller));
    equal(await exhaust(subject, caller), subject.requests, 'how often it was let through');
    await waitOf(subject, caller);
  },
  'does not put off a caller that keeps asking': async (subject) => {
    const caller = subject.fresh();
    await exhaust(subject, caller);
    const first = await waitOf(subject, caller);
    for (let more = 0; more < 5; more++) await subject.limiter.take(caller);
    const last = await waitOf(subject, caller);
    holds(last <= first, `should wait no longer than before: ${first} s, then ${last} s`);
  },
  'refuses nobody for what somebody else asked': async (subject) => {
    const [busy, other] = [subject.fresh(), subject.fresh()];
    await exhaust(subject, busy);
    await waitOf(subject, busy);
    equal(await exhaust(subject, other), subject.requests, 'how often the other was let through');
  },
  'reports no degraded reason while it counts': async ({ limiter, fresh }) => {
    await limiter.take(fresh());
    equal(limiter.degradedReason, undefined, 'the degradedReason');
  },
});
