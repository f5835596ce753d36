import { fakeClock } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { keptCallbacks } from './kept-callbacks.ts';

const made = () => {
  const clock = fakeClock();
  const redis = { isWell: true };
  return { clock, redis, kept: keptCallbacks(clock, () => redis.isWell) };
};

describe('what Redis took from here', () => {
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

  it('is kept while Redis is in trouble, but not for ever', () => {
    const { clock, redis, kept } = made();
    kept.keep('t-1', 'one');
    redis.isWell = false;
    clock.advance(59_000);
    expect(kept.all()).toEqual([['t-1', 'one']]);
    clock.advance(2000);
    expect([kept.all(), clock.scheduled]).toEqual([[], 0]);
  });

  it('is given up, the oldest first, where it would take too much room', () => {
    const { kept } = made();
    const large = 'x'.repeat(30 * 1024 * 1024);
    for (const id of ['t-1', 't-2', 't-3']) kept.keep(id, large);
    expect(kept.all().map(([id]) => id)).toEqual(['t-2', 't-3']);
  });

  it('has one timer, however often it comes and goes', () => {
    const { clock, kept } = made();
    for (let time = 0; time < 10; time++) {
      kept.keep('t-1', 'one');
      kept.drop('t-1');
    }
    expect(clock.scheduled).toBe(1);
    kept.keep('t-2', 'two');
    kept.clear();
    expect([kept.all(), clock.scheduled]).toEqual([[], 0]);
  });
});
