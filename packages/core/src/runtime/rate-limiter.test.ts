import { describe, expect, it } from 'vitest';
import { fakeClock } from './clock.fake.ts';
import { rateLimiterContract } from './rate-limiter.contract.ts';
import { fakeRateLimiter } from './rate-limiter.fake.ts';

rateLimiterContract({ describe, it }, () => {
  const clock = fakeClock();
  let given = 0;
  return {
    limiter: fakeRateLimiter({ requests: 3, seconds: 10, clock }),
    requests: 3,
    fresh: () => `caller-${++given}`,
    pass: async (seconds) => clock.advance(seconds * 1000),
  };
});

describe('a limiter for tests', () => {
  it('lets everybody through unless told otherwise, and remembers who asked', async () => {
    const limiter = fakeRateLimiter();
    for (const caller of ['one', 'other', 'one']) expect(await limiter.take(caller)).toEqual({ isAllowed: true });
    expect(limiter.taken).toEqual(['one', 'other', 'one']);
  });

  it('refuses everybody when told so, for as long as the window lasts', async () => {
    const clock = fakeClock();
    const limiter = fakeRateLimiter({ requests: 0, seconds: 7, clock });
    expect(await limiter.take('one')).toEqual({ isAllowed: false, retryAfterSeconds: 7 });
    clock.advance(6001);
    expect(await limiter.take('one')).toEqual({ isAllowed: false, retryAfterSeconds: 1 });
  });

  it('lets everybody through while it cannot count, and says so', async () => {
    const limiter = fakeRateLimiter({ requests: 0 });
    limiter.failWith('the store is gone');
    expect([await limiter.take('one'), limiter.degradedReason]).toEqual([{ isAllowed: true }, 'the store is gone']);
    limiter.failWith(undefined);
    expect([(await limiter.take('one')).isAllowed, limiter.degradedReason]).toEqual([false, undefined]);
  });
});
