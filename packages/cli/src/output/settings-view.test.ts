import { describe, expect, it } from 'vitest';
import { memberApi, settingsFile, settingsOf } from '../settings/settings-file.test.support.ts';
import { showProblems } from './cli-error.ts';
import { showSettings, withoutSecrets } from './settings-view.ts';

describe('withoutSecrets', () => {
  it.each([
    ['redis://:hunter2@redis.example:6379/0', 'redis://***@redis.example:6379/0'],
    ['rediss://hunter2:hunter2@redis.example', 'rediss://***@redis.example'],
    ['redis://user:hunter2@hunter2@redis.example', 'redis://***@redis.example'],
    ['https://hunter2@keys.example/certs', 'https://***@keys.example/certs'],
    ['https://keys.example/certs?key=hunter2', 'https://keys.example/certs?***'],
    ['https://u:hunter2@keys.example/certs?key=hunter2#top', 'https://***@keys.example/certs?***#top'],
    ['HTTPS://u:hunter2@KEYS.example', 'https://***@keys.example/'],
    ['http:u:hunter2@keys.example', 'http://***@keys.example/'],
    ['http:\\\\u:hunter2@keys.example', 'http://***@keys.example/'],
    ['redis:hunter2@redis.example', 'redis:***'],
    ['redis:/:hunter2@redis.example', 'redis:***'],
    ['http://u:12#hunter2@proxy.example:3128', 'http:***'],
    ['http://u:12/hunter2@proxy.example:3128', 'http:***'],
    ['/claims/{partyLocator}?key=hunter2', '/claims/{partyLocator}?***'],
  ])('hides the credentials in %s', (value, shown) => {
    expect(withoutSecrets({ url: value, list: [value] })).toEqual({ url: shown, list: [shown] });
  });

  it.each(['secret', 'clientSecret', 'password', 'dbPassword', 'privateKey', 'PRIVATEKEY'])(
    'hides the value of %s at any depth',
    (name) => {
      expect(withoutSecrets({ a: [{ [name]: 'hunter2', [`${name}s`]: ['hunter2'], id: 1 }] })).toEqual({
        a: [{ [name]: '***', [`${name}s`]: '***', id: 1 }],
      });
    },
  );

  it.each(['extraContext', 'extraIntent', 'intent', 'lookup'])('hides what may be a secret in %s', (name) => {
    const values = { token: 'canary', nested: [{ 'api-key': 'canary', Authorization: 'canary' }], domain: 'health' };

    expect(withoutSecrets({ [name]: values, tokenUrl: 'https://id.example/token' })).toEqual({
      [name]: { token: '***', nested: [{ 'api-key': '***', Authorization: '***' }], domain: 'health' },
      tokenUrl: 'https://id.example/token',
    });
  });

  it('hides a known secret under any name', () => {
    expect(
      withoutSecrets({ headers: { 'x-api-key': 'hunter2' }, list: ['hunter2', 'other'] }, new Set(['hunter2'])),
    ).toEqual({ headers: { 'x-api-key': '***' }, list: ['***', 'other'] });
  });

  it('shows a secret that is null', () => {
    expect(withoutSecrets({ password: null })).toEqual({ password: null });
  });

  it.each(['https://claims.example/api', 'schemes:health', 'who?', '/claims/{partyLocator}', 'a@b', '', 'PT10M'])(
    'does not change %j',
    (value) => {
      expect(withoutSecrets(value)).toBe(value);
    },
  );
});

it('showSettings shows every effective setting with its value and source', () => {
  const path = settingsFile({ ...memberApi, redis: { url: 'redis://:hunter2@redis.example' } });
  const env = { PORT: '9090', CLAIMS_URL: 'https://claims.test' };
  const lines = showSettings(settingsOf({ flags: { '--config': path, '--host': '::1' }, env })).split('\n');

  expect(lines.slice(0, 2)).toEqual(['listen.host = "::1"  (--host)', 'listen.port = 9090  (PORT)']);
  expect(lines).toContain(`identity.audience = ["portico"]  (${path})`);
  expect(lines).toContain('downstreams.claims.url = "https://claims.test"  (CLAIMS_URL)');
  expect(lines).toContain(`downstreams.consent.timeoutMs = 5000  (${path})`);
  expect(lines).toContain('limits.maxRequestBytes = 262144  (default)');
  expect(lines).toContain('search.personas = null  (default)');
  expect(lines).toContain(`redis.url = "redis://***@redis.example"  (${path})`);
  expect(lines.at(-1)).toBe('');
});

it('showSettings shows the source of a name with a dot', () => {
  const claims = { url: 'https://claims.example', headers: { 'x.y': 'v' } };
  const path = settingsFile({ ...memberApi, downstreams: { claims } });

  expect(showSettings(settingsOf({ flags: { '--config': path } }))).toContain(
    `downstreams.claims.headers.x.y = "***"  (${path})\n`,
  );
});

it('showProblems shows one line per problem', () => {
  expect(
    showProblems([
      { setting: 'listen.port', source: 'PORT', message: 'must be an integer' },
      { setting: 'identity.issuer', source: 'not set', message: 'must be an http or https URL' },
      { setting: '(file)', source: 'portico.json', message: 'file not found (ENOENT)' },
    ]),
  ).toBe(
    '  listen.port (PORT): must be an integer\n  identity.issuer (not set): must be an http or https URL\n  portico.json: file not found (ENOENT)\n',
  );
});
