import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { contractSample, problemsOf, settingsFile, settingsOf } from './settings-file.test.support.ts';
import { showSettings, withoutSecrets } from '../output/settings-view.ts';

const { moa, mh } = contractSample.search.legs;
const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const [seed, point] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
const signing = { subscriberId: 'bap.example', uniqueKeyId: 'k1', privateKey: seed.toString('base64') };

const withSearch = (search: object) => ({ flags: { '--config': settingsFile({ search }) } });
const withLeg = (differences: object, search: object = {}) =>
  withSearch({ legs: { moa: { ...moa, ...differences } }, ...search });

/** Returns the problems of a single leg, with settings relative to the leg. */
const problemsWith = (differences: object) =>
  problemsOf(withLeg(differences)).map(({ setting, message }) => [setting.replace('search.legs.moa.', ''), message]);

const defaults = {
  verifyCallbacks: false,
  callbacks: 'first',
  maxCallbacks: 100,
  maxBytes: 33_554_432,
  strict: false,
  profile: 'beckn-1.1',
};

describe('a leg', () => {
  it('keeps legs unchanged and in the order of the file', () => {
    const { legs } = settingsOf(withSearch({ legs: { zeta: mh, alpha: moa } })).settings.search;

    expect(Object.entries(legs ?? {})).toEqual([
      ['zeta', { ...mh, ...defaults }],
      ['alpha', { ...moa, ...defaults }],
    ]);
  });

  it('leaves the path and the ttl to the profile and the search', () => {
    const { gatewayPath: _, ttl: __, ...least } = moa;
    const { legs } = settingsOf(withSearch({ legs: { moa: least } })).settings.search;

    expect(legs?.['moa']).toEqual({ ...least, ...defaults });
  });

  it.each(['label', 'domain', 'version', 'city', 'categoryCode', 'bapId'])('requires %s of a leg', (name) => {
    expect(problemsWith({ [name]: undefined })).toEqual([[name, 'required; must be a string']]);
    expect(problemsWith({ [name]: '' })).toEqual([[name, 'must be a string']]);
  });

  it.each([
    ['gatewayUrl', undefined, 'required; must be an http or https URL'],
    ['gatewayUrl', 'gateway.example', 'must be an http or https URL'],
    ['gatewayUrl', 'ftp://gateway.example', 'must be an http or https URL'],
    ['gatewayUrl', 'https://user:hunter2@gateway.example', 'must be a URL without user and password'],
    ['gatewayUrl', 'https://gateway.example?key=hunter2', 'must be a base URL, without query and fragment'],
    ['bapUri', undefined, 'required; must be an http or https URL'],
    ['bapUri', 'bap.example', 'must be an http or https URL'],
    ['gatewayPath', 'search', 'must be a path'],
    ['gatewayPath', '', 'must be a path'],
    ['ttl', '10 minutes', 'must be an ISO 8601 duration'],
    ['ttl', 'PT', 'must be an ISO 8601 duration'],
    ['ttl', 600, 'must be an ISO 8601 duration'],
    ['extraContext', 'IND', 'must be an object'],
    ['extraContext', [], 'must be an object'],
    ['verifyCallbacks', 'yes', 'must be true or false'],
  ])('rejects a leg with a %s of %j', (name, value, message) => {
    expect(problemsWith({ [name]: value })).toEqual([[name, message]]);
  });

  it.each(['PT10M', 'PT30S', 'P1D', 'P1DT2H'])('accepts a ttl of %s', (ttl) => {
    expect(problemsWith({ ttl })).toEqual([]);
  });

  it.each([
    'https://bap.example',
    'https://bap.example/',
    'http://bap.example:8080/on_search',
    'https://u:p@bap.example',
  ])('keeps the bapUri %s unchanged', (bapUri) => {
    expect(settingsOf(withLeg({ bapUri })).settings.search.legs?.['moa']?.bapUri).toBe(bapUri);
  });

  it('accepts any JSON as extraContext', () => {
    const extraContext = { location: { country: { code: 'IND' } }, core_version: '1.1.0', list: [1, null, false] };

    expect(settingsOf(withLeg({ extraContext })).settings.search.legs?.['moa']?.extraContext).toEqual(extraContext);
  });
});

describe('the callbacks of a leg', () => {
  it.each(['first', { until: 'deadline' }, { count: 1 }, { count: 100 }, { quietMs: 500 }])(
    'end the leg in the mode %j',
    (callbacks) => {
      expect(settingsOf(withLeg({ callbacks })).settings.search.legs?.['moa']).toMatchObject({ callbacks });
    },
  );

  it.each(['last', 1, {}, { until: 'noon' }, { count: 1, quietMs: 1 }, []])('may not be %j', (callbacks) => {
    expect(problemsWith({ callbacks })).toEqual([
      ['callbacks', 'must be "first", {"until": "deadline"}, {"count": n} or {"quietMs": n}'],
    ]);
  });

  it('may not be an impossible number or time', () => {
    expect(problemsWith({ callbacks: { count: 0 } })).toEqual([
      ['callbacks.count', 'must be an integer from 1 to 10000'],
    ]);
    expect(problemsWith({ callbacks: { quietMs: -1 } })).toEqual([
      ['callbacks.quietMs', 'must be an integer from 1 to 600000'],
    ]);
  });

  it('may not be more than the leg keeps', () => {
    expect(problemsWith({ callbacks: { count: 3 }, maxCallbacks: 2 })).toEqual([
      ['maxCallbacks', 'must be at least 3, the count of callbacks'],
    ]);
    expect(problemsWith({ callbacks: { count: 101 } })).toEqual([
      ['maxCallbacks', 'must be at least 101, the count of callbacks'],
    ]);
  });

  it.each([
    ['maxCallbacks', 0],
    ['maxBytes', 0],
    ['strict', 'yes'],
  ])('have a valid %s', (setting, value) => {
    expect(problemsWith({ [setting]: value }).map(([name]) => name)).toEqual([setting]);
  });
});

describe('the ids of legs', () => {
  const badId = 'must be a leg id: 1 to 32 letters, digits, _ and -, but not elapsed_ms, errors or traces';

  it.each(['elapsed_ms', 'errors', 'traces', '', 'a leg', 'a.b', 'läg', 'x'.repeat(33)])(
    'rejects the leg id %j',
    (id) => {
      expect(problemsOf(withSearch({ legs: Object.fromEntries([[id, moa]]) }))).toEqual([
        { setting: `search.legs.${id}`, source: expect.any(String), message: badId },
      ]);
    },
  );

  it.each(['moa', 'errors2', 'Traces', 'constructor', '0', '-', 'x'.repeat(32)])('accepts the leg id %j', (id) => {
    expect(Object.keys(settingsOf(withSearch({ legs: { [id]: moa } })).settings.search.legs ?? {})).toEqual([id]);
  });

  it('rejects an empty object of legs', () => {
    const path = settingsFile({ search: { legs: {} } });

    expect(problemsOf({ flags: { '--config': path } })).toEqual([
      { setting: 'search.legs', source: path, message: 'must contain at least one leg' },
    ]);
  });

  it.each([{ legs: null }, { legs: [moa] }, { legs: 'moa' }])('rejects %j instead of an object of legs', (search) => {
    expect(problemsOf(withSearch(search))).toMatchObject([{ setting: 'search.legs', message: 'must be an object' }]);
  });
});

describe('the signing key of a leg', () => {
  const badKey = 'must be base64 of a 32-byte Ed25519 seed, or of 64 bytes: the seed, then its public key';
  const badId = 'must be 1 to 255 visible ASCII characters, without quotes, backslashes and vertical bars';

  it.each([
    ['a seed', seed],
    ['a seed and its public key', Buffer.concat([seed, point])],
  ])('accepts %s as the signing key', (_, key) => {
    const { legs } = settingsOf(withLeg({ signing: { ...signing, privateKey: key.toString('base64') } })).settings
      .search;

    expect(legs?.['moa']?.signing).toEqual({ ...signing, privateKey: key.toString('base64') });
  });

  it.each([
    ['an empty string', ''],
    ['a string that is not base64', 'hunter2'],
    ['a seed that is too short', seed.subarray(1).toString('base64')],
    ['a seed with a different public key', Buffer.concat([seed, seed]).toString('base64')],
    ['base64url', `${Buffer.alloc(31, 0xff).toString('base64url')}AA`],
    ['a PEM', '-----BEGIN PRIVATE KEY-----'],
    ['a missing key', undefined],
    ['a number', 5],
  ])('rejects %s as the signing key without printing it', (_, privateKey) => {
    const problems = problemsOf(withLeg({ signing: { ...signing, privateKey } }));

    expect(problems).toEqual([
      {
        setting: 'search.legs.moa.signing.privateKey',
        source: expect.any(String),
        message: expect.stringMatching(new RegExp(`^(?:required; )?${badKey}$`)),
      },
    ]);
  });

  it.each(['subscriberId', 'uniqueKeyId'])('reports a %s that is invalid in the signature header', (name) => {
    for (const value of ['a|b', 'a"b', 'a b', '', undefined])
      expect(problemsWith({ signing: { ...signing, [name]: value } })).toEqual([
        [`signing.${name}`, value === undefined ? `required; ${badId}` : badId],
      ]);
  });

  it('hides the key in the printed settings', () => {
    const loaded = settingsOf(withLeg({ signing }));
    const shown = withoutSecrets(loaded.settings) as { readonly search: { readonly legs: Record<string, unknown> } };

    expect(shown.search.legs['moa']).toMatchObject({ signing: { ...signing, privateKey: '***' } });
    expect(showSettings(loaded)).toContain('search.legs.moa.signing.privateKey = "***"');
    expect(showSettings(loaded)).not.toContain(signing.privateKey);
  });
});

describe('verified callbacks', () => {
  it('requires a registry for verifyCallbacks', () => {
    expect(problemsOf(withLeg({ verifyCallbacks: true }))).toEqual([
      {
        setting: 'search.registryUrl',
        source: 'not set',
        message: 'required when a leg sets verifyCallbacks and has no registry of its own',
      },
    ]);
    const registryUrl = 'https://registry.example/beckn';
    expect(settingsOf(withLeg({ verifyCallbacks: true }, { registryUrl })).settings.search).toMatchObject({
      registryUrl,
      legs: { moa: { verifyCallbacks: true } },
    });
  });

  it('requires no registry without verifyCallbacks', () => {
    expect(settingsOf(withLeg({ verifyCallbacks: false })).settings.search.registryUrl).toBeUndefined();
  });

  it('reports a missing registry together with other problems', () => {
    expect(problemsOf(withLeg({ verifyCallbacks: true, ttl: 5, tll: 'PT10M' })).map(({ setting }) => setting)).toEqual([
      'search.legs.moa.ttl',
      'search.legs.moa.tll',
      'search.registryUrl',
    ]);
  });

  it.each(['registry.example', 'https://hunter2@registry.example', 'https://registry.example?key=1'])(
    'rejects the registry URL %s',
    (registryUrl) => {
      expect(problemsOf(withLeg({ verifyCallbacks: true }, { registryUrl }))).toMatchObject([
        { setting: 'search.registryUrl', message: expect.stringMatching(/^must be a/) },
      ]);
    },
  );
});

it.each([
  ['timeoutMs', 0, 'must be an integer from 1 to 600000'],
  ['ackTimeoutMs', 600_001, 'must be an integer from 1 to 600000'],
  ['maxPending', 0, 'must be an integer from 1 to 10000000'],
  ['personas', [], 'must be a non-empty array of strings, an object with personas, or null'],
  ['personas', 'agent', 'must be a non-empty array of strings, an object with personas, or null'],
])('the settings reject a search with a %s of %j', (name, value, message) => {
  expect(problemsOf(withSearch({ [name]: value }))).toMatchObject([{ setting: `search.${name}`, message }]);
});
