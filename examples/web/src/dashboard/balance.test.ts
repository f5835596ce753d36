import { describe, expect, it } from 'vitest';
import { barOf } from './balance.ts';

describe('barOf', () => {
  it.each([
    [
      { limit: 200, used: 50 },
      { limit: 200, used: 50, share: 0.25 },
    ],
    [
      { limit: 200, used: 250 },
      { limit: 200, used: 250, share: 1 },
    ],
    [
      { limit: 200, used: -50 },
      { limit: 200, used: -50, share: 0 },
    ],
    [
      { limit: 200, used: null },
      { limit: 200, used: 0, share: 0 },
    ],
    [{ limit: 200 }, { limit: 200, used: 0, share: 0 }],
    [
      { limit: 0, used: 0 },
      { limit: 0, used: 0, share: 1 },
    ],
  ])('computes for %j: %j', (balance, bar) => expect(barOf(balance)).toEqual(bar));

  it.each([undefined, null, {}, { limit: null, used: null }, { limit: null, used: 10 }, { used: 10 }])(
    'returns nothing without a limit: %j',
    (balance) => expect(barOf(balance)).toBeUndefined(),
  );
});
