import { fakeClock } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { redeliveryBuffer } from './redelivery-buffer.ts';

const made = () => {
  const clock = fakeClock();
  const redis = { isSettled: true };
  return { clock, redis, kept: redeliveryBuffer(clock, () => redis.isSettled) };
};

describe('a callback that Redis took from this instance', () => {
  it('is kept until its owner has had time to read it', () => {
    const { clock, kept } = made();
    kept.keep('t-1', 'one');
    clock.advance(1000);
    kept.keep('t-2', 'two');
    clock.advance(1000);
    expect(kept.all()).toEqual([['t-2', 'two']]);
    clock.advance(2000);
    expect([kept.all(), clock.scheduled]).toEqual([[], 0]);
  });

  it('is kept for a minute while Redis is not healthy', () => {
    const { clock, redis, kept } = made();
    kept.keep('t-1', 'one');
    redis.isSettled = false;
    clock.advance(59_000);
    expect(kept.all()).toEqual([['t-1', 'one']]);
    clock.advance(2000);
    expect([kept.all(), clock.scheduled]).toEqual([[], 0]);
  });

  it('is dropped, the oldest first, beyond 64 Mi characters', () => {
    const { kept } = made();
    const large = 'x'.repeat(30 * 1024 * 1024);
    for (const id of ['t-1', 't-2', 't-3']) kept.keep(id, large);
    expect(kept.all().map(([id]) => id)).toEqual(['t-2', 't-3']);
  });

  it('is dropped by one timer, which starts again after the buffer was cleared', () => {
    const { clock, kept } = made();
    for (let time = 0; time < 10; time++) {
      kept.keep('t-1', 'one');
      kept.drop('t-1');
    }
    expect(clock.scheduled).toBe(1);
    kept.keep('t-2', 'two');
    kept.clear();
    expect([kept.all(), clock.scheduled]).toEqual([[], 0]);
    kept.keep('t-3', 'three');
    clock.advance(2000);
    expect([kept.all(), clock.scheduled]).toEqual([[], 0]);
  });
});
