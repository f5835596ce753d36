import { describe, expect, it } from 'vitest';
import { fakeClock } from './clock.fake.ts';
import { Generations } from './generations.ts';

describe('Generations', () => {
  it('keeps an entry for at least the given time, whenever it was added', () => {
    for (const addedAt of [0, 1, 500, 999]) {
      const clock = fakeClock();
      const kept = new Generations<string>(clock, 1000);
      clock.advance(addedAt);
      kept.set('a', 'x');
      clock.advance(999);
      expect(kept.get('a')).toBe('x');
    }
  });

  it('forgets an entry after at most twice the time, with and without use in between', () => {
    for (const steps of [[2000], [1000, 1000], [500, 500, 500, 500]]) {
      const clock = fakeClock();
      const kept = new Generations<string>(clock, 1000);
      kept.set('a', 'x');
      for (const step of steps) {
        kept.get('a');
        clock.advance(step);
        kept.set('b', 'y');
      }
      expect([kept.get('a'), kept.get('b')]).toEqual([undefined, 'y']);
    }
  });

  it('keeps at least the given number of the newest entries, and at most twice as many', () => {
    const kept = new Generations<number>(fakeClock(), 1000, 3);
    for (let index = 0; index < 100; index++) {
      kept.set(`k${index}`, index);
      for (let newer = Math.max(0, index - 2); newer <= index; newer++) expect(kept.get(`k${newer}`)).toBe(newer);
      expect(kept.size).toBeLessThanOrEqual(6);
    }
    expect(kept.get('k0')).toBeUndefined();
  });

  it('drops nothing when it is read, however full it is', () => {
    const kept = new Generations<number>(fakeClock(), 1000, 2);
    for (const key of ['a', 'b', 'c', 'd']) kept.set(key, 1);
    for (let reads = 0; reads < 3; reads++)
      expect(['a', 'b', 'c', 'd'].map((key) => kept.get(key))).toEqual([1, 1, 1, 1]);
  });

  it('returns the newer value of a key that was set again', () => {
    const clock = fakeClock();
    const kept = new Generations<string>(clock, 1000);
    kept.set('a', 'old');
    clock.advance(1000);
    kept.set('a', 'new');
    expect(kept.get('a')).toBe('new');
  });
});
