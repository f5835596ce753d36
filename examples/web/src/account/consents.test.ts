import { describe, expect, it } from 'vitest';
import { choicesOf, hasOtherText, withChoices } from './consents.ts';

const research = { locator: 'CNS-1', purpose: 'research', state: 'granted' };
const marketing = { locator: 'CNS-2', purpose: 'marketing', state: 'denied' };

describe('withChoices', () => {
  it('changes a consent by its locator when another one was inserted before it', () => {
    const newest = { consents: [{ locator: 'CNS-0', purpose: 'new', state: 'denied' }, research, marketing] };
    expect(withChoices(newest, new Map([['CNS-2', true]]))).toEqual({
      consents: [newest.consents[0], research, { ...marketing, state: 'granted' }],
    });
  });

  it('drops a change of a consent that no longer exists', () => {
    expect(withChoices({ consents: [research] }, new Map([['CNS-2', true]]))).toEqual({ consents: [research] });
  });

  it('keeps every other field of the state', () => {
    const state = { version: 7, consents: [research] };
    expect(withChoices(state, new Map([['CNS-1', false]]))).toEqual({
      version: 7,
      consents: [{ ...research, state: 'withdrawn' }],
    });
  });

  it('denies a consent without a choice only when the member refuses it', () => {
    const pending = { ...marketing, state: 'pending' };
    expect(choicesOf({ consents: [pending] }).get('CNS-2')).toBeUndefined();
    expect(withChoices({ consents: [pending] }, new Map())).toEqual({ consents: [pending] });
    expect(withChoices({ consents: [pending] }, new Map([['CNS-2', false]]))).toEqual({ consents: [marketing] });
  });

  it('keeps a withdrawn consent withdrawn when the member refuses it again', () => {
    const withdrawn = { ...marketing, state: 'withdrawn' };
    expect(withChoices({ consents: [withdrawn] }, new Map([['CNS-2', false]]))).toEqual({ consents: [withdrawn] });
  });
});

it.each([
  ['has another version of its text', { version: '2' }, true],
  ['has another purpose', { purpose: 'marketing' }, true],
  ['has another state', { state: 'withdrawn' }, false],
  ['already has the choice', { version: '2', state: 'granted' }, false],
])('a choice was made for another text or not when the newest consent %s', (_, newest, isOther) => {
  const item = { ...research, state: 'denied', version: '1' };
  const state = { consents: [marketing, { ...item, ...newest }] };
  expect(hasOtherText({ consents: [item] }, state, new Map([['CNS-1', true]]))).toBe(isOther);
});

it.each([
  ['without a locator', [{ purpose: 'research', state: 'granted' }]],
  ['with the same locator twice', [research, { ...marketing, locator: 'CNS-1' }]],
])('changes of consents %s are ignored', (_, consents) => {
  expect(choicesOf({ consents }).size).toBe(0);
  expect(withChoices({ consents }, new Map([['CNS-1', false]]))).toEqual({ consents });
});
