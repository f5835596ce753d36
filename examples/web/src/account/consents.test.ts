import { describe, expect, it } from 'vitest';
import { grantsOf, withGrants } from './consents.ts';

const research = { locator: 'CNS-1', purpose: 'research', state: 'granted' };
const marketing = { locator: 'CNS-2', purpose: 'marketing', state: 'denied' };

describe('a changed consent', () => {
  it('is found by its locator when another one has come before it', () => {
    const newest = { consents: [{ locator: 'CNS-0', purpose: 'new', state: 'denied' }, research, marketing] };
    expect(withGrants(newest, new Map([['CNS-2', true]]))).toEqual({
      consents: [newest.consents[0], research, { ...marketing, state: 'granted' }],
    });
  });

  it('is dropped when it is gone', () => {
    expect(withGrants({ consents: [research] }, new Map([['CNS-2', true]]))).toEqual({ consents: [research] });
  });

  it('leaves every other field of the state as it is', () => {
    const state = { version: 7, consents: [research] };
    expect(withGrants(state, new Map([['CNS-1', false]]))).toEqual({
      version: 7,
      consents: [{ ...research, state: 'withdrawn' }],
    });
  });

  it('keeps the state of one that was never granted', () => {
    const pending = { ...marketing, state: 'pending' };
    expect(withGrants({ consents: [pending] }, new Map([['CNS-2', false]]))).toEqual({ consents: [pending] });
  });
});

it.each([
  ['without a locator', [{ purpose: 'research', state: 'granted' }]],
  ['with the same locator twice', [research, { ...marketing, locator: 'CNS-1' }]],
])('consents %s cannot be changed', (_, consents) => {
  expect(grantsOf({ consents }).size).toBe(0);
  expect(withGrants({ consents }, new Map([['CNS-1', false]]))).toEqual({ consents });
});
