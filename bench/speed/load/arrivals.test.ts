import { describe, expect, it } from 'vitest';
import { poissonArrivals, seededRandom } from './arrivals.ts';

const gapsOf = (arrivals: readonly number[]) => arrivals.map((at, nth) => at - (arrivals[nth - 1] ?? 0));

describe('the arrivals of an open loop', () => {
  const arrivals = poissonArrivals(300, 100, 1);

  it('are the same for the same seed, and others for another seed', () => {
    expect(poissonArrivals(300, 100, 1)).toEqual(arrivals);
    expect(poissonArrivals(300, 100, 2)).not.toEqual(arrivals);
  });

  it('ascend, and end with the duration', () => {
    expect(gapsOf(arrivals).every((gap) => gap >= 0)).toBe(true);
    expect(arrivals.at(-1)).toBeLessThan(100_000);
  });

  it('have the rate of the load', () => {
    expect(arrivals.length / 100).toBeCloseTo(300, -1);
  });

  it('are independent: the gaps between them spread as much as their mean, and one in e is longer', () => {
    const gaps = gapsOf(arrivals);
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;

    expect(Math.sqrt(variance) / mean).toBeCloseTo(1, 1);
    expect(gaps.filter((gap) => gap > mean).length / gaps.length).toBeCloseTo(1 / Math.E, 1);
  });
});

it('seeded random numbers spread over 0 to 1', () => {
  const random = seededRandom(7);
  const drawn = Array.from({ length: 10_000 }, random);

  expect(drawn.every((one) => one >= 0 && one < 1)).toBe(true);
  for (const tenth of Array.from({ length: 10 }, (_, nth) => nth / 10))
    expect(drawn.filter((one) => one >= tenth && one < tenth + 0.1).length).toBeGreaterThan(900);
});
