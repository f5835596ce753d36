import { describe, expect, it } from 'vitest';
import { grantsOf, withGrants } from './consents.ts';

const research = { locator: 'CNS-1', purpose: 'research', state: 'granted' };
const marketing = { locator: 'CNS-2', purpose: 'marketing', state: 'denied' };

describe('withGrants', () => {
  it('changes a consent by its locator when another one was inserted before it', () => {
    const newest = { consents: [{ locator: 'CNS-0', purpose: 'new', state: 'denied' }, research, marketing] };
    expect(withGrants(newest, new Map([['CNS-2', true]]))).toEqual({
      consents: [newest.consents[0], research, { ...marketing, state: 'granted' }],
    });
  });

  it('drops a change of a consent that no longer exists', () => {
    expect(withGrants({ consents: [research] }, new Map([['CNS-2', true]]))).toEqual({ consents: [research] });
  });

  it('keeps every other field of the state', () => {
    const state = { version: 7, consents: [research] };
    expect(withGrants(state, new Map([['CNS-1', false]]))).toEqual({
      version: 7,
      consents: [{ ...research, state: 'withdrawn' }],
    });
  });

  it('keeps the state of a consent that was never granted', () => {
    const pending = { ...marketing, state: 'pending' };
    expect(withGrants({ consents: [pending] }, new Map([['CNS-2', false]]))).toEqual({ consents: [pending] });
  });
});

it.each([
  ['without a locator', [{ purpose: 'research', state: 'granted' }]],
  ['with the same locator twice', [research, { ...marketing, locator: 'CNS-1' }]],
])('ignores changes of consents %s', (_, consents) => {
  expect(grantsOf({ consents }).size).toBe(0);
  expect(withGrants({ consents }, new Map([['CNS-1', false]]))).toEqual({ consents });
});
