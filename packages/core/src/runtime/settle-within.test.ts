import { describe, expect, it } from 'vitest';
import { fakeClock } from './clock.fake.ts';
import { settleWithin } from './settle-within.ts';
import { CoreSignal } from './signal.ts';

const setup = () => {
  const clock = fakeClock();
  const signal = new CoreSignal();
  const work = Promise.withResolvers<string>();
  const limits = { clock, timeoutMs: 100, signal, onTimeout: () => 'timeout', onAbort: () => 'aborted' };
  return { clock, signal, work, limits };
};

describe('settleWithin', () => {
  it('settles like work that ends in time, and removes its timer', async () => {
    const { clock, work, limits } = setup();
    const settled = settleWithin(work.promise, limits);
    clock.advance(99);
    work.resolve('done');

    expect(await settled).toBe('done');
    expect(clock.scheduled).toBe(0);
  });

  it('rejects like work that fails in time, and removes its timer', async () => {
    const { clock, work, limits } = setup();
    const settled = settleWithin(work.promise, limits);
    work.reject(new Error('failed'));

    await expect(settled).rejects.toThrow('failed');
    expect(clock.scheduled).toBe(0);
  });

  it('resolves at the timeout, and ignores a later failure of the work', async () => {
    const { clock, work, limits } = setup();
    const settled = settleWithin(work.promise, limits);
    clock.advance(100);
    work.reject(new Error('failed'));

    expect(await settled).toBe('timeout');
  });

  it('resolves when the signal aborts, also before the wait', async () => {
    const { clock, signal, work, limits } = setup();
    const settled = settleWithin(work.promise, limits);
    signal.abort();

    expect(await settled).toBe('aborted');
    expect(await settleWithin(Promise.resolve('done'), limits)).toBe('aborted');
    expect(clock.scheduled).toBe(0);
  });
});
