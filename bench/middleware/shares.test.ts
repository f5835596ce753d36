import { describe, expect, it } from 'vitest';
import { addedBySteps, withinBudget } from './shares.ts';

describe('the budget of each middleware', () => {
  const names = ['Koa alone', 'report', 'limit'];
  const rounds = [
    [20, 25, 27],
    [40, 50, 54],
    // A moment in which other work disturbed the last step.
    [20, 25, 90],
  ];

  it('compares each step with the one before it in the same round, and ignores a disturbed round', () => {
    expect(addedBySteps(names, rounds)).toEqual([
      { name: 'report', microseconds: 5, share: 0.25 },
      { name: 'limit', microseconds: 4, share: 0.1 },
    ]);
  });

  it('is missed by a middleware that adds more', () => {
    const requirements = withinBudget(addedBySteps(names, rounds), { report: 0.25, limit: 0.09 });

    expect(requirements.map(({ isMet }) => isMet)).toEqual([true, false]);
    expect(requirements[1]).toMatchObject({ measured: '10 %', required: 'at most 9 %' });
  });

  it('is missed by a middleware without one', () => {
    expect(withinBudget(addedBySteps(names, rounds), { report: 1 })).toMatchObject([
      { isMet: true },
      { isMet: false, required: 'a budget' },
    ]);
  });
});
