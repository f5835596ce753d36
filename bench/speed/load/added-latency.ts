import type { TimedSearch } from './open-loop.ts';

/** The p99 that a rate must hold. */
export const maxP99Ms = 5;

/**
 * What the program itself takes, in milliseconds: the duration of each search without the delay of its slower seller.
 * Infinity for a search that a seller did not receive or call back.
 */
export const addedTimes = (
  searches: readonly TimedSearch[],
  delays: Readonly<Record<string, number>>,
): readonly number[] =>
  searches.map(({ tookMs, ids }) => {
    const own = ids.map((id) => delays[id] ?? Number.NaN);
    return own.length === 0 || own.some(Number.isNaN) ? Infinity : tookMs - Math.max(...own);
  });

/** The highest rate before the first one at which the p99 is too high twice; 0 if there is none. */
export const highestRate = async (
  ascending: readonly number[],
  p99At: (perSecond: number) => Promise<number>,
): Promise<number> => {
  let highest = 0;
  for (const rate of ascending) {
    const isHeld = (await p99At(rate)) < maxP99Ms || (await p99At(rate)) < maxP99Ms;
    if (!isHeld) break;
    highest = rate;
  }
  return highest;
};
