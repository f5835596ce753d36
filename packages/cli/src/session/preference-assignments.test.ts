import * as fc from 'fast-check';
import { preferenceNames } from '@portico/core';
import { describe, expect, it } from 'vitest';
import { onOff, parsePreferenceChange } from './preference-assignments.ts';

const changeIn = (...assignments: readonly string[]) => parsePreferenceChange(assignments).unwrapOr(undefined);
const problemsIn = (...assignments: readonly string[]) =>
  parsePreferenceChange(assignments).match(
    () => undefined,
    ({ exitCode, document }) => ({ exitCode, ...document }),
  );

describe('a change of preferences', () => {
  it.each([
    ['on', true],
    ['off', false],
    ['true', true],
    ['false', false],
    ['yes', true],
    ['no', false],
    ['ON', true],
    ['Off', false],
  ])('can be said with %s', (word, value) => {
    expect(changeIn(`email=${word}`)).toEqual({ email: value });
  });

  it('holds what is named and nothing else', () => {
    expect(changeIn('email=on', 'sms=off')).toEqual({ email: true, sms: false });
    expect(changeIn()).toEqual({});
  });

  it('may say the same twice', () => {
    expect(changeIn('email=on', 'email=yes')).toEqual({ email: true });
  });

  it('may name all six', () => {
    expect(changeIn(...preferenceNames.map((name) => `${name}=off`))).toEqual(
      Object.fromEntries(preferenceNames.map((name) => [name, false])),
    );
  });
});

describe('what is wrong with a change', () => {
  const choices = 'is not one of email, sms, push, claimsUpdates, billingAlerts, enrollmentReminders';

  it.each([
    ['a name that is none', 'fax=on', { path: 'fax', message: choices }],
    ['a name in other letters', 'Email=on', { path: 'Email', message: choices }],
    ['a name that every object has', 'constructor=on', { path: 'constructor', message: choices }],
    ['no name', '=on', { path: '', message: choices }],
    ['a word that is none', 'email=maybe', { path: 'email', message: 'say email=on or email=off' }],
    ['a word that every object has', 'email=constructor', { path: 'email', message: 'say email=on or email=off' }],
    ['no word', 'email=', { path: 'email', message: 'say email=on or email=off' }],
    ['only a name', 'email', { path: 'email', message: 'say email=on or email=off' }],
    ['two words', 'email=on=off', { path: 'email', message: 'say email=on or email=off' }],
    ['a line break in the word', 'email=on\n', { path: 'email', message: 'say email=on or email=off' }],
  ])('%s', (_, assignment, error) => {
    expect(problemsIn(assignment)).toEqual({
      exitCode: 2,
      code: 'invalid-request',
      detail: 'These are not preferences that can be set.',
      errors: [error],
    });
  });

  it('on and off at once', () => {
    expect(problemsIn('email=on', 'sms=on', 'email=off')).toMatchObject({
      errors: [{ path: 'email', message: 'is both on and off' }],
    });
  });

  it('is said all at once', () => {
    expect(problemsIn('fax=on', 'email=on', 'sms=perhaps')).toMatchObject({
      errors: [{ path: 'fax' }, { path: 'sms', message: 'say sms=on or sms=off' }],
    });
  });
});

it('reads anything without breaking, and takes nothing that is not one of the six', () => {
  const assignment = fc.oneof(
    fc.string(),
    fc.tuple(fc.constantFrom(...preferenceNames, 'fax'), fc.string()).map((pair) => pair.join('=')),
  );
  fc.assert(
    fc.property(fc.array(assignment, { maxLength: 8 }), (assignments) => {
      const change = parsePreferenceChange(assignments).unwrapOr({});

      expect(preferenceNames).toEqual(expect.arrayContaining(Object.keys(change)));
      expect(Object.values(change).every((value) => typeof value === 'boolean')).toBe(true);
    }),
  );
});

it('shows a preference as on, off or unknown', () => {
  expect([onOff(true), onOff(false), onOff(undefined)]).toEqual(['on', 'off', '-']);
});
