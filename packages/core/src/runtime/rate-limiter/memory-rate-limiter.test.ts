import { describe, expect, it } from 'vitest';
import { fakeClock } from '../clock.fake.ts';
import { memoryRateLimiter } from './memory-rate-limiter.ts';
import { rateLimiterContract } from './rate-limiter.contract.ts';

const createLimiter = (settings: { readonly requests?: number; readonly maxCallers?: number } = {}) => {
  const clock = fakeClock();
  return { clock, limiter: memoryRateLimiter({ clock, requests: 1, seconds: 10, ...settings }) };
};

rateLimiterContract({ describe, it }, () => {
  let callers = 0;
  const { clock, limiter } = createLimiter({ requests: 3 });
  return {
    limiter,
    requests: 3,
    fresh: () => `caller-${++callers}`,
    pass: async (seconds) => clock.advance(seconds * 1000),
  };
});

describe('memoryRateLimiter', () => {
  it.each([{ requests: Number.NaN }, { seconds: Number.NaN }, { seconds: 0 }, { maxCallers: Number.NaN }])(
    'refuses numbers with which it would count nothing: %j',
    (settings) => {
      expect(() => memoryRateLimiter({ clock: fakeClock(), requests: 1, seconds: 10, ...settings })).toThrow(
        new TypeError('The numbers of a rate limiter must be positive; requests may be 0.'),
      );
    },
  );

  it('reports the rest of the window in whole seconds, at least 1', async () => {
    const { clock, limiter } = createLimiter();
    await limiter.take('one');
    expect(await limiter.take('one')).toEqual({ isAllowed: false, retryAfterSeconds: 10 });
    clock.advance(8999);
    expect(await limiter.take('one')).toEqual({ isAllowed: false, retryAfterSeconds: 2 });
    clock.advance(1000);
    expect(await limiter.take('one')).toEqual({ isAllowed: false, retryAfterSeconds: 1 });
    clock.advance(1);
    expect(await limiter.take('one')).toEqual({ isAllowed: true });
  });

  it('counts a caller until its own window ends, regardless of the windows of others', async () => {
    const { clock, limiter } = createLimiter();
    clock.advance(9000);
    await limiter.take('one');
    clock.advance(2000);
    for (let nth = 0; nth < 10; nth++) await limiter.take(`other-${nth}`);
    expect(await limiter.take('one')).toEqual({ isAllowed: false, retryAfterSeconds: 8 });
  });

  it('counts a caller for its whole window, whenever it begins', async () => {
    for (const beginsAt of [0, 1, 4999, 5001, 9999]) {
      const { clock, limiter } = createLimiter();
      clock.advance(beginsAt);
      await limiter.take('one');
      for (const pastMs of [2000, 7999]) {
        clock.advance(pastMs);
        await limiter.take(`other after ${pastMs} ms`);
      }
      expect(await limiter.take('one')).toEqual({ isAllowed: false, retryAfterSeconds: 1 });
    }
  });

  it('drops the older half of the windows beyond maxCallers', async () => {
    const { limiter } = createLimiter({ maxCallers: 4 });
    for (const caller of ['one', 'two', 'three', 'four', 'five']) await limiter.take(caller);
    const allowed = async (caller: string) => (await limiter.take(caller)).isAllowed;
    expect([await allowed('five'), await allowed('four'), await allowed('three')]).toEqual([false, false, false]);
    expect(await allowed('one')).toBe(true);
  });

  it('keeps no room for a caller whose window has ended', async () => {
    const { clock, limiter } = createLimiter({ maxCallers: 4 });
    await limiter.take('ended');
    clock.advance(10_000);
    for (const caller of ['one', 'two', 'three', 'four']) await limiter.take(caller);
    expect(await limiter.take('one')).toEqual({ isAllowed: false, retryAfterSeconds: 10 });
  });

  it.each(['__proto__', 'constructor', ''])('counts a caller named "%s" like any other', async (caller) => {
    const { limiter } = createLimiter();
    expect((await limiter.take(caller)).isAllowed).toBe(true);
    expect((await limiter.take(caller)).isAllowed).toBe(false);
  });

  it('schedules no timer', async () => {
    const { clock, limiter } = createLimiter();
    await limiter.take('one');
    expect(clock.scheduled).toBe(0);
  });
});
