import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { credentialProblems } from './credentials-schema.ts';
import { memberApi, problemsOf, settingsFile, settingsOf } from '../settings-file.test.support.ts';
import { showProblems } from '../../output/cli-error.ts';
import { showSettings } from '../../output/settings-view.ts';
import { signInProvider } from './identity-schema.ts';

const client = { id: 'portico', secret: 'canary-client' };

/** Settings of the claims service, beside those of the other services. */
const fileWith = (claims: object, identity: object = {}, downstreams: object = {}) =>
  settingsFile({
    ...memberApi,
    identity: { ...memberApi.identity, ...identity },
    downstreams: { ...memberApi.downstreams, claims: { url: 'https://claims.example', ...claims }, ...downstreams },
  });

const loaded = (...file: Parameters<typeof fileWith>) => settingsOf({ flags: { '--config': fileWith(...file) } });
const problems = (...file: Parameters<typeof fileWith>) =>
  problemsOf({ flags: { '--config': fileWith(...file) } }).map(({ setting, message }) => [setting, message]);

describe('the credentials of a service', () => {
  it("are the member's own token by default", () => {
    expect(loaded({}).settings.downstreams?.claims?.credentials).toBe('member-token');
  });

  it.each([
    'member-token',
    'none',
    { kind: 'token-exchange' },
    { kind: 'token-exchange', audience: 'claims', resource: 'https://claims.internal', scope: 'a b' },
    { kind: 'token-exchange', resource: 'urn:example:claims' },
    { kind: 'client-credentials' },
    { kind: 'client-credentials', audience: 'claims', scope: 'a' },
  ])('can be %j', (credentials) => {
    expect(loaded({ credentials }, { client }).settings.downstreams?.claims?.credentials).toEqual(credentials);
  });

  it.each([
    'token-exchange',
    { kind: 'member-token' },
    { kind: 'client-credentials', resource: 'https://claims.internal' },
    { kind: 'token-exchange', audience: '' },
    { kind: 'token-exchange', resource: 'claims' },
    { kind: 'token-exchange', resource: 'https://claims.internal#part' },
    { kind: 'token-exchange', scope: 'a  b' },
    { audience: 'claims' },
    null,
  ])('cannot be %j', (credentials) => {
    const [[setting, message] = []] = problems({ credentials }, { client });
    expect(setting).toMatch(/^downstreams\.claims\.credentials/);
    expect(message).toMatch(/must be|unknown setting/);
  });

  it.each(['token-exchange', 'client-credentials'])('credentials of the kind %s require identity.client', (kind) => {
    expect(problems({ credentials: { kind } })).toEqual([
      ['downstreams.claims.credentials', `${kind} requires identity.client`],
    ]);
  });

  it.each([
    ['token-exchange', [{ client }, {}], 1],
    ['token-exchange', [{ client }, { client }], 0],
    ['client-credentials', [{}, { client }], 0],
    ['client-credentials', [{}, {}], 1],
  ])('credentials of the kind %s need a client at the issuers that they use: %j', (kind, identity, count) => {
    expect(credentialProblems(identity, { claims: { credentials: { kind } } }).length).toBe(count);
  });

  it.each(['none', { kind: 'client-credentials' }])(
    'credentials that identify no member require the party locator in every path: %j',
    (credentials) => {
      const kind = typeof credentials === 'string' ? credentials : credentials.kind;
      const reason = 'requires {partyLocator} in every path, because the service cannot read the member from a token';
      const notifications = { url: 'https://notifications.example', credentials };
      expect(problems({}, { client }, { notifications })).toEqual([
        [
          'downstreams.notifications.credentials',
          `${kind} ${reason}; missing in paths.ownPreferences, paths.list, paths.log`,
        ],
      ]);
      expect(problems({ credentials, paths: { list: '/claims' } }, { client })).toEqual([
        ['downstreams.claims.credentials', `${kind} ${reason}; missing in paths.list`],
      ]);
      const paths = {
        ownPreferences: '/preferences/{partyLocator}',
        list: '/notifications/{partyLocator}',
        log: '/log/{partyLocator}',
      };
      expect(problems({}, { client }, { notifications: { ...notifications, paths } })).toEqual([]);
    },
  );
});

it('the routes of a service of your own need the party locator as the paths of others do', () => {
  const routes = { 'GET /me/one': { path: '/of/{partyLocator}' }, 'GET /me/other': { path: '/mine' } };
  const found = credentialProblems(undefined, { authorizations: { credentials: 'none', routes } });
  expect(found).toMatchObject([{ path: ['downstreams', 'authorizations', 'credentials'] }]);
  expect(found[0]?.message).toMatch(/missing in routes\.GET \/me\/other$/);
});

describe('the headers of a service', () => {
  it('are sent as they are set', () => {
    const headers = { 'X-Api-Key': 'k', tenant: '7' };
    expect(loaded({ headers }).settings.downstreams?.claims?.headers).toEqual(headers);
  });

  it.each(['Authorization', 'connection', 'transfer-encoding', 'content-length', 'host', 'accept'])(
    'cannot contain %s',
    (name) => {
      expect(problems({ headers: { [name]: 'canary' } })).toEqual([
        [
          `downstreams.claims.headers.${name}`,
          'must not be authorization, a hop-by-hop or framing header, or a header that Portico sets itself',
        ],
      ]);
    },
  );

  it.each([
    [{ 'x key': 'canary' }, 'must be a header name (RFC 9110, section 5.1)'],
    [{ 'x-key': 'canary\r\nx: y' }, 'must be printable ASCII, without spaces at its ends'],
    [{ 'X-Key': 'canary', 'x-key': 'canary' }, 'must not be given twice'],
  ])('cannot be %j', (headers, message) => {
    expect(problems({ headers }).map(([, found]) => found)).toEqual([message]);
  });

  it('have all their problems reported at once', () => {
    const headers = { 'x-api-key': { env: 'PORTICO_TEST_UNSET' }, authorization: 'canary', 'x key': 'canary' };
    expect(problems({ headers }).map(([setting]) => setting)).toEqual([
      'downstreams.claims.headers.x-api-key',
      'downstreams.claims.headers.authorization',
      'downstreams.claims.headers.x key',
    ]);
  });
});

const pem = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('identity.client', () => {
  it.each([
    { id: 'portico', secret: 's' },
    { id: 'portico', secret: 's', method: 'client_secret_basic' },
    { id: 'portico', secret: 's', method: 'client_secret_post' },
  ])('can be %j', (value) => {
    expect(signInProvider(loaded({}, { client: value }).settings)?.client).toEqual(value);
  });

  it('can have the file of a private key', () => {
    const value = { id: 'portico', privateKeyFile: settingsFile(pem()), method: 'private_key_jwt' };
    expect(signInProvider(loaded({}, { client: value }).settings)?.client).toEqual(value);
  });

  it.each([
    { id: 'portico' },
    { id: 'portico', secret: 's', method: 'private_key_jwt' },
    { id: 'portico', secret: 's', privateKeyFile: pem },
    { id: 'portico', privateKeyFile: pem, method: 'client_secret_basic' },
  ])('needs one secret that fits its method: %j', ({ privateKeyFile, ...value }) => {
    const withFile = { ...value, ...(privateKeyFile && { privateKeyFile: settingsFile(privateKeyFile()) }) };
    expect(problems({}, { client: withFile })).toEqual([
      [
        'identity.client',
        'must have secret (for client_secret_basic and client_secret_post) or privateKeyFile (for private_key_jwt)',
      ],
    ]);
  });

  it.each([
    ['no file', () => '/nonexistent/canary.pem', /^must be the path of a readable file/],
    ['no key', () => settingsFile('canary'), /^must be an unencrypted private key in PEM/],
  ])('needs a valid private key in its file, not %s', (_case, file, message) => {
    const [[setting, found] = []] = problems({}, { client: { id: 'portico', privateKeyFile: file() } });
    expect(setting).toBe('identity.client.privateKeyFile');
    expect(found).toMatch(message);
  });
});

describe('secrets of credentials', () => {
  it('are not shown with the settings', () => {
    const headers = { 'x-api-key': 'canary-header' };
    const shown = showSettings(loaded({ headers, credentials: { kind: 'token-exchange' } }, { client }));
    expect(shown).toContain('downstreams.claims.headers.x-api-key = "***"');
    expect(shown).toContain('identity.client.secret = "***"');
    expect(shown).toContain('downstreams.claims.credentials.kind = "token-exchange"');
    expect(shown).not.toContain('canary');
  });

  it('are not shown with problems', () => {
    const headers = { 'x-api-key': 'canary-\u0000' };
    const path = fileWith({ headers, credentials: { kind: 'canary' } }, { client: { ...client, method: 'canary' } });
    const shown = showProblems(problemsOf({ flags: { '--config': path } }));
    expect(shown.split('\n').length).toBe(4);
    expect(shown).not.toContain('canary');
  });
});
