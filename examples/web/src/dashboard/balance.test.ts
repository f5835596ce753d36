import { describe, expect, it } from 'vitest';
import { remainingOf } from './balance.ts';

describe('what is left of a limit', () => {
  it.each([
    [
      { limit: 200, used: 50 },
      { limit: 200, used: 50, left: 150 },
    ],
    [
      { limit: 200, used: 50, remaining: 140 },
      { limit: 200, used: 50, left: 140 },
    ],
    [
      { limit: 200, used: 250 },
      { limit: 200, used: 250, left: 0 },
    ],
    [
      { limit: 200, used: 250, remaining: -50 },
      { limit: 200, used: 250, left: 0 },
    ],
    [
      { limit: 200, used: -50 },
      { limit: 200, used: -50, left: 250 },
    ],
    [
      { limit: 200, used: null },
      { limit: 200, used: 0, left: 200 },
    ],
    [{ limit: 200 }, { limit: 200, used: 0, left: 200 }],
    [
      { limit: 0, used: 0 },
      { limit: 0, used: 0, left: 0 },
    ],
  ])('the balance %j is read as %j', (balance, remaining) => expect(remainingOf(balance)).toEqual(remaining));

  it.each([undefined, null, {}, { limit: null, used: null }, { limit: null, used: 10 }, { used: 10 }])(
    'is not known without a limit: %j',
    (balance) => expect(remainingOf(balance)).toBeUndefined(),
  );
});
