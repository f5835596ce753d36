import { describe, expect, it } from 'vitest';
import { addedTimes, highestRate } from './added-latency.ts';

it('the added time of a search is its duration without the delay of its slower seller', () => {
  const searches = [
    { tookMs: 82.5, ids: ['a', 'b'] },
    { tookMs: 101, ids: ['c', 'd', 'c'] },
  ];

  expect(addedTimes(searches, { a: 80, b: 60, c: 52, d: 97 })).toEqual([2.5, 4]);
});

it('the added time of a search without the delay of a seller is infinite, so that the search is not hidden', () => {
  expect(addedTimes([{ tookMs: 60, ids: ['a', 'unknown'] }], { a: 50 })).toEqual([Infinity]);
  expect(addedTimes([{ tookMs: 60, ids: [] }], {})).toEqual([Infinity]);
});

const p99s = (values: Readonly<Record<number, readonly number[]>>) => {
  const runs = new Map(Object.entries(values).map(([rate, each]) => [Number(rate), [...each]]));
  return (rate: number) => Promise.resolve(runs.get(rate)!.shift()!);
};

describe('the highest rate', () => {
  it('is the one before the first rate that is too slow twice', async () => {
    expect(await highestRate([100, 200, 300, 400], p99s({ 100: [2], 200: [9, 4.9], 300: [6, 7], 400: [1] }))).toBe(200);
  });

  it('is 0 if the first rate is too slow, and the last one if none is', async () => {
    expect(await highestRate([100, 200], p99s({ 100: [5, 5] }))).toBe(0);
    expect(await highestRate([100, 200], p99s({ 100: [1], 200: [1] }))).toBe(200);
  });
});
