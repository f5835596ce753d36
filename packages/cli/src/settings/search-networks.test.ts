import { describe, expect, it } from 'vitest';
import { contractSample, problemsOf, settingsFile, settingsOf } from './settings-file.test.support.ts';
import { showSettings } from '../output/settings-view.ts';

const { moa, mh } = contractSample.search.legs;
const signing = { subscriberId: 'bap.example', uniqueKeyId: 'k1', privateKey: Buffer.alloc(32, 7).toString('base64') };

const withSearch = (search: object) => ({
  flags: { '--config': settingsFile({ search: { legs: { moa, mh }, ...search } }) },
});
const withLeg = (differences: object, search: object = {}) =>
  withSearch({ legs: { moa: { ...moa, ...differences } }, ...search });

/** The problems, with settings relative to the search. */
const problemsIn = (search: object) =>
  problemsOf(withSearch(search)).map(({ setting, message }) => [setting.replace('search.', ''), message]);
const legProblems = (differences: object, search: object = {}) =>
  problemsIn({ legs: { moa: { ...moa, ...differences } }, ...search });

describe('personas', () => {
  it('may be an object with the legs and the intent of each', () => {
    const personas = { member: { legs: ['moa'], intent: { a: [{ b: '{query}' }] } }, 'a broker': {} };
    expect(settingsOf(withSearch({ personas })).settings.search.personas).toEqual(personas);
  });

  it.each([
    [
      { member: { legs: ['moa', 'elsewhere'] } },
      'member.legs.1',
      'there is no leg elsewhere; expected one of: moa, mh',
    ],
    [{ member: { legs: ['constructor'] } }, 'member.legs.0', 'there is no leg constructor; expected one of: moa, mh'],
    [{ member: { legs: [] } }, 'member.legs', 'must be a non-empty array of leg ids'],
    [{ member: { legs: 'moa' } }, 'member.legs', 'must be a non-empty array of leg ids'],
    [{ member: { intent: [] } }, 'member.intent', 'must be an object'],
    [{ member: 5 }, 'member', 'must be an object'],
    [{ ' member': {} }, ' member', 'must be a persona: 1 to 64 characters, without spaces around them'],
  ])('rejects %j', (personas, setting, message) => {
    expect(problemsIn({ personas })).toEqual([[`personas.${setting}`, message]]);
  });

  it('rejects an empty object, and reports several mistakes at once', () => {
    expect(problemsIn({ personas: {} })).toEqual([['personas', 'must contain at least one persona']]);
    expect(problemsIn({ personas: { member: { leg: ['moa'], intent: 1 } } })).toEqual([
      ['personas.member.intent', 'must be an object'],
      ['personas.member.leg', 'unknown setting; did you mean legs? Expected one of: legs, intent'],
    ]);
  });
});

describe('the profile of a leg', () => {
  const ondc = { profile: 'ondc-1.2', signing, finderFee: { type: 'percent', amount: '3' }, country: 'IND' };

  it('has its own settings', () => {
    expect(settingsOf(withLeg(ondc)).settings.search.legs?.['moa']).toMatchObject(ondc);
    for (const profile of ['beckn-1.1', 'beckn-0.9', 'beckn-2.0'])
      expect(settingsOf(withLeg({ profile })).settings.search.legs?.['moa']).toMatchObject({ profile });
  });

  it.each([
    [{ profile: 'beckn-3' }, 'profile', 'must be one of beckn-1.1, beckn-0.9, ondc-1.2, beckn-2.0'],
    [{ ...ondc, signing: undefined }, 'signing', 'required with the profile ondc-1.2'],
    [{ ...ondc, finderFee: undefined }, 'finderFee', 'required with the profile ondc-1.2'],
    [{ ...ondc, city: '080' }, 'city', 'must have the form std:080, or be *, with the profile ondc-1.2'],
    [{ ...ondc, finderFee: { type: 'share', amount: '3' } }, 'finderFee.type', 'must be one of percent, amount'],
    [{ ...ondc, finderFee: { type: 'amount', amount: 3 } }, 'finderFee.amount', 'must be a decimal number in a string'],
    [
      { ...ondc, finderFee: { type: 'amount', amount: '3 %' } },
      'finderFee.amount',
      'must be a decimal number in a string',
    ],
    [{ finderFee: ondc.finderFee }, 'finderFee', 'allowed only with the profile ondc-1.2'],
    [{ country: 'IND' }, 'country', 'allowed only with the profile beckn-0.9 or ondc-1.2'],
    [{ ...ondc, country: 'India' }, 'country', 'must be a country code of three letters'],
    [{ fieldNames: 'camelCase' }, 'fieldNames', 'allowed only with the profile beckn-2.0'],
    [{ profile: 'beckn-2.0', fieldNames: 'kebab' }, 'fieldNames', 'must be one of camelCase, snake_case'],
    [{ extraIntent: 'text' }, 'extraIntent', 'must be an object'],
  ])('rejects %j', (differences, setting, message) => {
    expect(legProblems(differences)).toEqual([[`legs.moa.${setting}`, message]]);
  });
});

describe('a registry', () => {
  const registry = { url: 'https://registry.example', profile: 'ondc', signing };

  it('may be shared, or be of one leg, and is then enough for verifyCallbacks', () => {
    expect(settingsOf(withLeg({ verifyCallbacks: true }, { registry })).settings.search.registry).toEqual(registry);
    const own = { ...registry, profile: 'dedi', registryName: 'subscribers', path: '/dedi/lookup' };
    expect(
      settingsOf(withLeg({ verifyCallbacks: true, registry: own })).settings.search.legs?.['moa']?.registry,
    ).toEqual(own);
  });

  it('is of the profile beckn by default', () => {
    const { url } = registry;
    expect(settingsOf(withSearch({ registry: { url } })).settings.search.registry).toEqual({ url, profile: 'beckn' });
  });

  it('may be signed with the key of its leg', () => {
    const own = { url: registry.url, profile: 'ondc' };
    expect(problemsOf(withLeg({ registry: own, signing }))).toEqual([]);
    expect(legProblems({ registry: own })).toEqual([['legs.moa.registry.signing', 'required with the profile ondc']]);
    expect(problemsIn({ registry: own })).toEqual([['registry.signing', 'required with the profile ondc']]);
  });

  it.each([
    [{ url: undefined }, 'registry.url', 'required; must be an http or https URL'],
    [{ profile: 'vedic' }, 'registry.profile', 'must be one of beckn, ondc, uhi, dedi'],
    [{ path: 'lookup' }, 'registry.path', 'must be a path'],
    [{ lookup: { country: 5 } }, 'registry.lookup.country', 'must be a string'],
    [{ lookup: [] }, 'registry.lookup', 'must be an object of strings'],
  ])('rejects %j', (differences, setting, message) => {
    expect(problemsIn({ registry: { ...registry, ...differences } })).toEqual([[setting, message]]);
  });

  it('is set only once', () => {
    expect(problemsIn({ registry, registryUrl: registry.url })).toEqual([
      ['registryUrl', 'must not be set beside search.registry'],
    ]);
  });

  it('does not show its key', () => {
    const loaded = settingsOf(withSearch({ registry, legs: { moa: { ...moa, registry } } }));
    expect(showSettings(loaded)).not.toContain(signing.privateKey);
    expect(showSettings(loaded)).toContain('search.registry.signing.privateKey = "***"');
  });
});
