import { spawnSync } from 'node:child_process';
import { rateLimiterContract } from '@portico/core/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryRateLimiter } from './memory-rate-limiter.ts';

/** The limiter has timers of its own: they are moved by hand. */
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = async (seconds: number) => void vi.advanceTimersByTime(seconds * 1000);

rateLimiterContract({ describe, it }, () => {
  let given = 0;
  return {
    limiter: memoryRateLimiter({ requests: 3, seconds: 10 }),
    requests: 3,
    fresh: () => `caller-${++given}`,
    pass,
  };
});

describe('a limiter in memory', () => {
  it('tells how long the window lasts, and never to come back at once', async () => {
    const limiter = memoryRateLimiter({ requests: 1, seconds: 10 });
    await limiter.take('one');
    expect(await limiter.take('one')).toEqual({ isAllowed: false, retryAfterSeconds: 10 });
    vi.advanceTimersByTime(8999);
    expect(await limiter.take('one')).toEqual({ isAllowed: false, retryAfterSeconds: 2 });
    vi.advanceTimersByTime(1000);
    expect(await limiter.take('one')).toEqual({ isAllowed: false, retryAfterSeconds: 1 });
  });

  it('forgets whoever has stayed away for a window', async () => {
    const limiter = memoryRateLimiter({ requests: 1, seconds: 10 });
    for (const caller of ['one', 'other']) await limiter.take(caller);
    expect(vi.getTimerCount()).toBe(2);
    await pass(10);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('counts no more callers at once than it may: the oldest window is given up', async () => {
    const limiter = memoryRateLimiter({ requests: 1, seconds: 10, maxCallers: 2 });
    for (const caller of ['one', 'two', 'three']) await limiter.take(caller);
    expect(vi.getTimerCount()).toBe(2);
    expect((await limiter.take('two')).isAllowed).toBe(false);
    expect((await limiter.take('three')).isAllowed).toBe(false);
    expect((await limiter.take('one')).isAllowed).toBe(true);
    for (let nth = 0; nth < 100; nth++) await limiter.take(`caller-${nth}`);
    expect(vi.getTimerCount()).toBe(2);
    expect((await limiter.take('caller-98')).isAllowed).toBe(false);
  });

  it('gives up the oldest window also when its caller was the last one to ask', async () => {
    const limiter = memoryRateLimiter({ requests: 1, seconds: 10, maxCallers: 2 });
    for (const caller of ['one', 'two', 'one', 'three']) await limiter.take(caller);
    expect((await limiter.take('two')).isAllowed).toBe(false);
    expect((await limiter.take('one')).isAllowed).toBe(true);
  });

  it('gives up nobody for a caller that it knew before', async () => {
    const limiter = memoryRateLimiter({ requests: 1, seconds: 10, maxCallers: 2 });
    for (const caller of ['one', 'two']) await limiter.take(caller);
    await pass(10);
    for (const caller of ['two', 'one']) expect((await limiter.take(caller)).isAllowed).toBe(true);
    await limiter.take('three');
    expect((await limiter.take('one')).isAllowed).toBe(false);
  });

  it.each(['__proto__', 'constructor', ''])('counts a caller named "%s" like any other', async (caller) => {
    const limiter = memoryRateLimiter({ requests: 1, seconds: 10 });
    expect((await limiter.take(caller)).isAllowed).toBe(true);
    expect((await limiter.take(caller)).isAllowed).toBe(false);
  });

  it('keeps no process alive', () => {
    vi.useRealTimers();
    const limiter = JSON.stringify(import.meta.resolve('./memory-rate-limiter.ts'));
    const program = `const { memoryRateLimiter } = await import(${limiter});
      await memoryRateLimiter({ requests: 1, seconds: 1000 }).take('one');`;
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--conditions=@portico/source', '--input-type=module', '--eval', program],
      { timeout: 20_000, encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([0, '']);
  });
});
