import { expect, it } from 'vitest';
import { limitsOf, tiersOf } from './limits.ts';

const deductible = { limit: 1500, used: 500 };

it('only tiers with a limit are listed', () => {
  expect(tiersOf({})).toEqual([]);
  expect(tiersOf({ deductible: { individual: { outOfNetwork: deductible }, family: { inNetwork: {} } } })).toEqual([
    'individual',
  ]);
  expect(
    tiersOf({
      outOfPocketMaximum: { family: { inNetwork: deductible } },
      deductible: { individual: { inNetwork: deductible } },
    }),
  ).toEqual(['individual', 'family']);
});

it('the limits of one tier in one network are listed, the deductible first', () => {
  const accumulators = {
    outOfPocketMaximum: { individual: { inNetwork: { limit: 5000, used: 5000 } } },
    deductible: { individual: { inNetwork: deductible }, family: { inNetwork: { limit: 3000 } } },
  };
  expect(limitsOf(accumulators, 'individual', 'inNetwork')).toEqual([
    { kind: 'deductible', limit: 1500, used: 500, left: 1000 },
    { kind: 'outOfPocketMaximum', limit: 5000, used: 5000, left: 0 },
  ]);
  expect(limitsOf(accumulators, 'individual', 'outOfNetwork')).toEqual([]);
});
