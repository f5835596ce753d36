import { describe, expect, it } from 'vitest';
import { fakeClock } from '../clock.fake.ts';
import { fakeRateLimiter } from './rate-limiter.fake.ts';

describe('fakeRateLimiter', () => {
  it('allows every request by default, and records the callers', async () => {
    const limiter = fakeRateLimiter();
    for (const caller of ['one', 'other', 'one']) expect(await limiter.take(caller)).toEqual({ isAllowed: true });
    expect(limiter.taken).toEqual(['one', 'other', 'one']);
  });

  it('refuses every request when the limit is 0, until the window ends', async () => {
    const clock = fakeClock();
    const limiter = fakeRateLimiter({ requests: 0, seconds: 7, clock });
    expect(await limiter.take('one')).toEqual({ isAllowed: false, retryAfterSeconds: 7 });
    clock.advance(6001);
    expect(await limiter.take('one')).toEqual({ isAllowed: false, retryAfterSeconds: 1 });
  });

  it('allows every request while it is degraded, and reports the reason', async () => {
    const limiter = fakeRateLimiter({ requests: 0 });
    limiter.failWith('the store is down');
    expect([await limiter.take('one'), limiter.degradedReason]).toEqual([{ isAllowed: true }, 'the store is down']);
    limiter.failWith(undefined);
    expect([(await limiter.take('one')).isAllowed, limiter.degradedReason]).toEqual([false, undefined]);
  });
});
