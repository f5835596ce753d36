import { describe, expect, it } from 'vitest';
import type { Row } from './record.ts';
import { differencesOf, differenceTable } from './compare-records.ts';

const recordOf = (...rows: readonly Row[]) => ({ at: '2026-01-01T00:00:00.000Z', machine: 'a machine', rows });

/** A row whose rounds have these values, beside another program that always has 100. */
const rate = (title: string, rounds: readonly number[], unit = 'requests/s'): Row => ({
  title,
  unit,
  own: rounds[0]!,
  other: { name: 'Other', value: 100, ratio: rounds[0]! / 100 },
  rounds: { own: rounds, other: rounds.map(() => 100) },
});

const verdictsOf = (before: Row, after: Row) =>
  differencesOf(recordOf(before), recordOf(after)).map(({ verdict }) => verdict);

describe('the comparison of two records', () => {
  it('finds a rate worse if all its rounds are below, and better if all are above', () => {
    expect(verdictsOf(rate('warm', [110, 105, 115]), rate('warm', [90, 80, 104]))).toEqual(['worse']);
    expect(verdictsOf(rate('warm', [90, 80, 104]), rate('warm', [110, 105, 115]))).toEqual(['better']);
  });

  it('finds no difference while the rounds overlap', () => {
    expect(verdictsOf(rate('warm', [110, 105, 115]), rate('warm', [90, 80, 105]))).toEqual(['within the spread']);
  });

  it('finds a time worse if it is longer', () => {
    expect(verdictsOf(rate('wait', [1, 2, 3], 'ms'), rate('wait', [4, 5, 6], 'ms'))).toEqual(['worse']);
  });

  it('compares the ratio to the other program of the same run, so that a slower machine is no difference', () => {
    const onSlowMachine: Row = {
      ...rate('warm', [55]),
      other: { name: 'Other', value: 50, ratio: 1.1 },
      rounds: { own: [55, 54, 56], other: [50, 50, 50] },
    };

    expect(verdictsOf(rate('warm', [110, 109, 111]), onSlowMachine)).toEqual(['within the spread']);
  });

  it('finds a small difference in many rounds, of which a few are disturbed', () => {
    const rounds = Array.from({ length: 100 }, (_, nth) => (nth % 10 === 0 ? 200 : 100 + (nth % 7)));
    const slower = rounds.map((value) => value + 10);

    expect(verdictsOf(rate('wait', rounds, 'ms'), rate('wait', slower, 'ms'))).toEqual(['worse']);
  });

  it('compares only what both records have', () => {
    const [difference, ...others] = differencesOf(
      recordOf(rate('warm', [100]), rate('old', [1])),
      recordOf(rate('new', [1]), rate('warm', [150])),
    );

    expect(others).toEqual([]);
    expect(difference).toMatchObject({ title: 'warm, relative to Other', ratio: 1.5, verdict: 'better' });
  });

  it('prints each value with its spread', () => {
    const differences = differencesOf(recordOf(rate('warm', [110, 105, 115])), recordOf(rate('warm', [90])));

    expect(differenceTable(differences).split('\n')[2]).toBe(
      '| warm, relative to Other | 1.10 × (1.05 to 1.15) | 0.900 × | 0.82 | **worse** |',
    );
  });
});
