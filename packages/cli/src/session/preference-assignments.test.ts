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
  ])('accepts the value %s for a preference', (word, value) => {
    expect(changeIn(`email=${word}`)).toEqual({ email: value });
  });

  it('changes only the named preferences', () => {
    expect(changeIn('email=on', 'sms=off')).toEqual({ email: true, sms: false });
    expect(changeIn()).toEqual({});
  });

  it('accepts a preference that is set to the same value twice', () => {
    expect(changeIn('email=on', 'email=yes')).toEqual({ email: true });
  });

  it('accepts all six preferences', () => {
    expect(changeIn(...preferenceNames.map((name) => `${name}=off`))).toEqual(
      Object.fromEntries(preferenceNames.map((name) => [name, false])),
    );
  });
});

describe('an invalid change of preferences', () => {
  const choices =
    'unknown preference; must be one of email, sms, push, claimsUpdates, billingAlerts, enrollmentReminders';

  it.each([
    ['an unknown name', 'fax=on', { path: 'fax', message: choices }],
    ['a name in the wrong case', 'Email=on', { path: 'Email', message: choices }],
    ['the name of an inherited property', 'constructor=on', { path: 'constructor', message: choices }],
    ['an empty name', '=on', { path: '', message: choices }],
    ['an unknown value', 'email=maybe', { path: 'email', message: 'must be email=on or email=off' }],
    [
      'a value that names an inherited property',
      'email=constructor',
      { path: 'email', message: 'must be email=on or email=off' },
    ],
    ['an empty value', 'email=', { path: 'email', message: 'must be email=on or email=off' }],
    ['a name without a value', 'email', { path: 'email', message: 'must be email=on or email=off' }],
    ['two values', 'email=on=off', { path: 'email', message: 'must be email=on or email=off' }],
    ['a value with a line break', 'email=on\n', { path: 'email', message: 'must be email=on or email=off' }],
  ])('rejects a change with %s', (_, assignment, error) => {
    expect(problemsIn(assignment)).toEqual({
      exitCode: 2,
      code: 'invalid-request',
      detail: 'Invalid preferences.',
      errors: [error],
    });
  });

  it('rejects a preference that is both on and off', () => {
    expect(problemsIn('email=on', 'sms=on', 'email=off')).toMatchObject({
      errors: [{ path: 'email', message: 'is set to both on and off' }],
    });
  });

  it('reports all problems with a change at once', () => {
    expect(problemsIn('fax=on', 'email=on', 'sms=perhaps')).toMatchObject({
      errors: [{ path: 'fax' }, { path: 'sms', message: 'must be sms=on or sms=off' }],
    });
  });
});

it('parsePreferenceChange accepts only the six preferences for any input', () => {
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

it('onOff shows a preference as on, off or unknown', () => {
  expect([onOff(true), onOff(false), onOff(undefined)]).toEqual(['on', 'off', '-']);
});
