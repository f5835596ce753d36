import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { contractSample, problemsOf, settingsFile, settingsOf } from './settings-file.test.support.ts';
import { showSettings, withoutSecrets } from './show.ts';

const { moa, mh } = contractSample.search.legs;
const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const [seed, point] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
const signing = { subscriberId: 'bap.example', uniqueKeyId: 'k1', privateKey: seed.toString('base64') };

const withSearch = (search: object) => ({ flags: { '--config': settingsFile({ search }) } });
const withLeg = (differences: object, search: object = {}) =>
  withSearch({ legs: { moa: { ...moa, ...differences } }, ...search });

/** What is wrong when only one leg is set, each problem by its setting below that leg. */
const wrongIn = (differences: object) =>
  problemsOf(withLeg(differences)).map(({ setting, message }) => [setting.replace('search.legs.moa.', ''), message]);

describe('a leg', () => {
  it('is kept as it is set, in the order of the file', () => {
    const { legs } = settingsOf(withSearch({ legs: { zeta: mh, alpha: moa } })).settings.search;

    expect(Object.entries(legs ?? {})).toEqual([
      ['zeta', { ...mh, verifyCallbacks: false }],
      ['alpha', { ...moa, verifyCallbacks: false }],
    ]);
  });

  it('has a path, a ttl and no signature unless told', () => {
    const { gatewayPath: _, ttl: __, ...least } = moa;
    const { legs } = settingsOf(withSearch({ legs: { moa: least } })).settings.search;

    expect(legs?.['moa']).toEqual({ ...least, gatewayPath: '/search', ttl: 'PT10M', verifyCallbacks: false });
  });

  it.each(['label', 'domain', 'version', 'city', 'categoryCode', 'bapId'])('must have its %s', (name) => {
    expect(wrongIn({ [name]: undefined })).toEqual([[name, 'must be a text']]);
    expect(wrongIn({ [name]: '' })).toEqual([[name, 'must be a text']]);
  });

  it.each([
    ['gatewayUrl', undefined, 'must be an http or https URL'],
    ['gatewayUrl', 'gateway.example', 'must be an http or https URL'],
    ['gatewayUrl', 'ftp://gateway.example', 'must be an http or https URL'],
    ['gatewayUrl', 'https://user:hunter2@gateway.example', 'must be a URL without user and password'],
    ['gatewayUrl', 'https://gateway.example?key=hunter2', 'must be a base URL, without query and fragment'],
    ['bapUri', undefined, 'must be an http or https URL'],
    ['bapUri', 'bap.example', 'must be an http or https URL'],
    ['gatewayPath', 'search', 'must be a path'],
    ['gatewayPath', '', 'must be a path'],
    ['ttl', '10 minutes', 'must be an ISO 8601 duration'],
    ['ttl', 'PT', 'must be an ISO 8601 duration'],
    ['ttl', 600, 'must be an ISO 8601 duration'],
    ['extraContext', 'IND', 'must be an object'],
    ['extraContext', [], 'must be an object'],
    ['verifyCallbacks', 'yes', 'must be true or false'],
  ])('may not have a %s of %j', (name, value, message) => {
    expect(wrongIn({ [name]: value })).toEqual([[name, message]]);
  });

  it.each(['PT10M', 'PT30S', 'P1D', 'P1DT2H'])('may have a ttl of %s', (ttl) => {
    expect(wrongIn({ ttl })).toEqual([]);
  });

  it.each([
    'https://bap.example',
    'https://bap.example/',
    'http://bap.example:8080/on_search',
    'https://u:p@bap.example',
  ])('is called back at %s, not a sign changed', (bapUri) => {
    expect(settingsOf(withLeg({ bapUri })).settings.search.legs?.['moa']?.bapUri).toBe(bapUri);
  });

  it('may want more in the context, whatever it is', () => {
    const extraContext = { location: { country: { code: 'IND' } }, core_version: '1.1.0', list: [1, null, false] };

    expect(settingsOf(withLeg({ extraContext })).settings.search.legs?.['moa']?.extraContext).toEqual(extraContext);
  });
});

describe('the ids of legs', () => {
  const badId = 'is not an id for a leg: 1 to 32 letters, digits, _ and -, not elapsed_ms, errors or traces';

  it.each(['elapsed_ms', 'errors', 'traces', '', 'a leg', 'a.b', 'läg', 'x'.repeat(33)])(
    'are the keys of the answer, where %j cannot stand',
    (id) => {
      expect(problemsOf(withSearch({ legs: Object.fromEntries([[id, moa]]) }))).toEqual([
        { setting: `search.legs.${id}`, source: expect.any(String), message: badId },
      ]);
    },
  );

  it.each(['moa', 'errors2', 'Traces', 'constructor', '0', '-', 'x'.repeat(32)])('may be %j', (id) => {
    expect(Object.keys(settingsOf(withSearch({ legs: { [id]: moa } })).settings.search.legs ?? {})).toEqual([id]);
  });

  it('are at least one when there are legs at all', () => {
    const path = settingsFile({ search: { legs: {} } });

    expect(problemsOf({ flags: { '--config': path } })).toEqual([
      { setting: 'search.legs', source: path, message: 'must have at least one leg' },
    ]);
  });

  it.each([{ legs: null }, { legs: [moa] }, { legs: 'moa' }])('are not in %j', (search) => {
    expect(problemsOf(withSearch(search))).toMatchObject([{ setting: 'search.legs', message: 'must be an object' }]);
  });
});

describe('the key that a leg signs with', () => {
  const badKey = 'must be base64 of a 32-byte Ed25519 seed, or of 64 bytes: the seed and its public key';
  const badId = 'must be 1 to 255 visible ASCII characters without quote, backslash and bar';

  it.each([
    ['a seed', seed],
    ['a seed and its public key', Buffer.concat([seed, point])],
  ])('may be %s', (_, key) => {
    const { legs } = settingsOf(withLeg({ signing: { ...signing, privateKey: key.toString('base64') } })).settings
      .search;

    expect(legs?.['moa']?.signing).toEqual({ ...signing, privateKey: key.toString('base64') });
  });

  it.each([
    ['nothing', ''],
    ['no base64', 'hunter2'],
    ['too short', seed.subarray(1).toString('base64')],
    ['a seed with the public key of another', Buffer.concat([seed, seed]).toString('base64')],
    ['base64url', `${Buffer.alloc(31, 0xff).toString('base64url')}AA`],
    ['a PEM', '-----BEGIN PRIVATE KEY-----'],
    ['missing', undefined],
    ['no text', 5],
  ])('may not be %s, and is not repeated', (_, privateKey) => {
    const problems = problemsOf(withLeg({ signing: { ...signing, privateKey } }));

    expect(problems).toEqual([
      { setting: 'search.legs.moa.signing.privateKey', source: expect.any(String), message: badKey },
    ]);
  });

  it.each(['subscriberId', 'uniqueKeyId'])('is not blamed for a %s that could not stand in the header', (name) => {
    for (const value of ['a|b', 'a"b', 'a b', '', undefined])
      expect(wrongIn({ signing: { ...signing, [name]: value } })).toEqual([[`signing.${name}`, badId]]);
  });

  it('is never shown', () => {
    const loaded = settingsOf(withLeg({ signing }));
    const shown = withoutSecrets(loaded.settings) as { readonly search: { readonly legs: Record<string, unknown> } };

    expect(shown.search.legs['moa']).toMatchObject({ signing: { ...signing, privateKey: '***' } });
    expect(showSettings(loaded)).toContain('search.legs.moa.signing.privateKey = "***"');
    expect(showSettings(loaded)).not.toContain(signing.privateKey);
  });
});

describe('callbacks that are verified', () => {
  it('need a registry', () => {
    expect(problemsOf(withLeg({ verifyCallbacks: true }))).toEqual([
      { setting: 'search.registryUrl', source: 'not set', message: 'must be set when a leg has verifyCallbacks' },
    ]);
    const registryUrl = 'https://registry.example/beckn';
    expect(settingsOf(withLeg({ verifyCallbacks: true }, { registryUrl })).settings.search).toMatchObject({
      registryUrl,
      legs: { moa: { verifyCallbacks: true } },
    });
  });

  it('are not, and need none, unless told', () => {
    expect(settingsOf(withLeg({ verifyCallbacks: false })).settings.search.registryUrl).toBeNull();
  });

  it('are said to need one beside everything else that is wrong', () => {
    expect(problemsOf(withLeg({ verifyCallbacks: true, ttl: 5, tll: 'PT10M' })).map(({ setting }) => setting)).toEqual([
      'search.legs.moa.ttl',
      'search.legs.moa.tll',
      'search.registryUrl',
    ]);
  });

  it.each(['registry.example', 'https://hunter2@registry.example', 'https://registry.example?key=1'])(
    'may not be looked up at %s',
    (registryUrl) => {
      expect(problemsOf(withLeg({ verifyCallbacks: true }, { registryUrl }))).toMatchObject([
        { setting: 'search.registryUrl', message: expect.stringMatching(/^must be a/) },
      ]);
    },
  );
});

it.each([
  ['timeoutMs', 0, 'must be a whole number from 1 to 600000'],
  ['ackTimeoutMs', 600_001, 'must be a whole number from 1 to 600000'],
  ['maxPending', 0, 'must be a whole number from 1 to 10000000'],
  ['personas', [], 'must be a list of texts, or null'],
  ['personas', 'agent', 'must be a list of texts, or null'],
])('a search may not have a %s of %j', (name, value, message) => {
  expect(problemsOf(withSearch({ [name]: value }))).toMatchObject([{ setting: `search.${name}`, message }]);
});
