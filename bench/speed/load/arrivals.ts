/** Numbers from 0 (inclusive) to 1 that depend on the seed only (mulberry32). */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/**
 * When the requests of many independent clients arrive (a Poisson process): milliseconds from the start, ascending. The
 * same seed gives the same arrivals.
 */
export const poissonArrivals = (perSecond: number, seconds: number, seed: number): readonly number[] => {
  const random = seededRandom(seed);
  const arrivals: number[] = [];
  for (let at = 0; ; arrivals.push(at)) {
    at += (-Math.log(1 - random()) * 1000) / perSecond;
    if (at >= seconds * 1000) return arrivals;
  }
};
