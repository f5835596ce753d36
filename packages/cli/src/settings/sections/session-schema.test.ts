import { readSessionKey } from '@portico/adapters-session';
import { describe, expect, it } from 'vitest';
import { memberApi, problemsOf, settingsFile, settingsOf } from '../settings-file.test.support.ts';
import { showSettings } from '../../output/settings-view.ts';
import { sessionProvider } from './session-schema.ts';

const key = 'ab'.repeat(32);
const otherKey = Buffer.alloc(32, 5).toString('base64url');
const client = { id: 'portico-portal', secret: 'canary-client' };
const publicUrl = 'https://portal.example';

/** Settings with sessions. */
const fileWith = (session: unknown, others: object = {}) =>
  settingsFile({
    ...memberApi,
    listen: { publicUrl },
    identity: { ...memberApi.identity, client },
    session,
    ...others,
  });

const loaded = (...file: Parameters<typeof fileWith>) => settingsOf({ flags: { '--config': fileWith(...file) } });
const problems = (...file: Parameters<typeof fileWith>) =>
  problemsOf({ flags: { '--config': fileWith(...file) } }).map(({ setting, message }) => [setting, message]);

describe('the session settings', () => {
  it.each(['hex', 'base64', 'base64url'] as const)('read a key in %s', (encoding) => {
    for (const byte of [0, 7, 251, 255]) {
      const bytes = Buffer.alloc(32, byte);
      const [one = ''] = loaded({ keys: [bytes.toString(encoding)] }).settings.session?.keys ?? [];
      expect(Buffer.from(readSessionKey(one))).toEqual(bytes);
    }
  });

  it('are absent by default', () => {
    expect(settingsOf({ flags: { '--config': settingsFile(memberApi) } }).settings.session).toBeUndefined();
  });

  it('need only keys', () => {
    expect(loaded({ keys: [key, otherKey] }).settings.session).toEqual({
      keys: [key, otherKey],
      store: 'cookie',
      idleSeconds: 1800,
      absoluteSeconds: 43_200,
      scope: 'openid profile',
      authorizeParameters: {},
    });
  });

  it('read keys from variables, and never show one', () => {
    const flags = { '--config': fileWith({ keys: [{ env: 'KEY' }, otherKey] }) };
    const settings = settingsOf({ flags, env: { KEY: key } });
    expect(settings.settings.session?.keys).toEqual([key, otherKey]);
    const shown = showSettings(settings);
    expect(shown).toContain('session.keys = ["***","***"]');
    for (const secret of [key, otherKey, client.secret]) expect(shown).not.toContain(secret);
  });

  it.each([[[]], [['short']], [[key.slice(2)]], [[`${key}0`]], [['x'.repeat(43)]], [['!'.repeat(43)]], [null], [key]])(
    'cannot have the keys %j',
    (keys) => {
      const [[setting, message] = []] = problems({ keys });
      expect(setting).toMatch(/^session\.keys/);
      expect(message).toMatch(/must be (?:32 random bytes|a non-empty array of keys)/);
    },
  );

  it('do not quote a bad key in the problem', () => {
    expect(JSON.stringify(problems({ keys: ['canary-key'] }))).not.toContain('canary');
  });

  it.each([
    [{ store: 'memory' }, 'session.store', 'must be one of cookie, redis'],
    [{ store: 'redis' }, 'session.store', 'redis requires redis.url'],
    [{ idleSeconds: 59 }, 'session.idleSeconds', 'must be an integer from 60 to 31536000'],
    [{ idleSeconds: 100, absoluteSeconds: 99 }, 'session.idleSeconds', 'must not be longer than absoluteSeconds'],
    [{ scope: 'profile' }, 'session.scope', 'must be scopes separated by single spaces, one of them openid'],
    [
      { authorizeParameters: { state: 'x' } },
      'session.authorizeParameters.state',
      'must not be set here: the session sends it itself',
    ],
    [
      { authorizeParameters: { max_age: '15m' } },
      'session.authorizeParameters.max_age',
      'must be a whole number of seconds',
    ],
    [
      { logoutUrl: 'http://id.example/logout' },
      'session.logoutUrl',
      'must be an https URL, or an http URL whose host is one of localhost, 127.0.0.1, [::1]',
    ],
    [{ issuer: 'https://other.example' }, 'session.issuer', 'must be the issuer of a provider in identity'],
  ])('cannot be %j', (session, setting, message) => {
    expect(problems({ keys: [key], ...session })).toEqual([[setting, message]]);
  });

  it.each(['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080', 'https://portal.example/app'])(
    'allow the public URL %s',
    (publicUrl) => {
      expect(problems({ keys: [key] }, { listen: { publicUrl } })).toEqual([]);
    },
  );

  it.each(['http://portal.example', 'http://127.0.0.1.example', 'http://localhost.example', null])(
    'refuse the public URL %s',
    (publicUrl) => {
      expect(problems({ keys: [key] }, { listen: { publicUrl } })).toEqual([
        [
          'listen.publicUrl',
          'must be an https URL, or an http URL whose host is one of localhost, 127.0.0.1, [::1], because of session',
        ],
      ]);
    },
  );

  it.each([
    ['identity.issuer', {}],
    ['session.issuer', { issuer: 'http://127.0.0.2:8080' }],
  ])('refuse an issuer with http on another host, and report it at %s', (setting, named) => {
    const identity = { ...memberApi.identity, issuer: 'http://127.0.0.2:8080', client };
    expect(problems({ keys: [key], ...named }, { identity })).toEqual([
      [
        setting,
        'must be an https URL, or an http URL whose host is one of localhost, 127.0.0.1, [::1], because of session',
      ],
    ]);
  });

  it('require a client at the identity provider', () => {
    expect(problems({ keys: [key] }, { identity: memberApi.identity })).toEqual([
      ['session', 'requires identity.client, which must be registered at the provider for sign-in'],
    ]);
  });

  it.each([
    [{ clients: ['web'] }, 'requires the id of identity.client in identity.clients'],
    [{ dpop: 'require' }, 'requires identity.dpop to be off or accept: the tokens of sessions are bearer tokens'],
  ])('refuse a provider whose rules refuse the tokens of sessions: %j', (rules, message) => {
    const identity = { ...memberApi.identity, client, ...rules };
    expect(problems({ keys: [key] }, { identity })).toEqual([['session', message]]);
  });

  it.each([
    [{ client: null }, 'identity.client'],
    [{ clients: 5 }, 'identity.clients'],
    [{ clients: { web: true } }, 'identity.clients'],
  ])('are compared with a provider whose settings are not valid: %j', (wrong, setting) => {
    const found = problems({ keys: [key] }, { identity: { ...memberApi.identity, client, ...wrong } });
    expect(found.map(([name]) => name)).toContain(setting);
  });

  it('must be an object', () => {
    expect(problems(null)).toEqual([['session', 'must be an object']]);
  });

  it('accept a provider whose rules accept the tokens of sessions', () => {
    const identity = { ...memberApi.identity, client, clients: ['web', client.id], dpop: 'accept' };
    expect(problems({ keys: [key] }, { identity })).toEqual([]);
  });

  it.each([
    ['cookie', 16_383, [['connections.maxHeaderBytes', 'must be at least 16384 when session.store is cookie']]],
    ['cookie', 16_384, []],
    ['redis', 1024, []],
  ])('require a header in which the cookies fit: sessions in %s, %i bytes', (store, maxHeaderBytes, found) => {
    const others = { connections: { maxHeaderBytes }, redis: { url: 'redis://127.0.0.1:1' } };
    expect(problems({ keys: [key], store }, others)).toEqual(found);
  });

  it('require an identity provider', () => {
    const flags = { '--config': settingsFile({ listen: { publicUrl }, session: { keys: [key] } }) };
    expect(problemsOf({ flags })).toMatchObject([
      { setting: 'session', message: 'requires identity, where members sign in' },
    ]);
  });
});

describe('with several identity providers, the session settings', () => {
  const other = { ...memberApi.identity, issuer: 'https://other.example' };
  const identity = [other, { ...memberApi.identity, client }];

  it('name the one that members sign in with', () => {
    const { settings } = loaded({ keys: [key], issuer: memberApi.identity.issuer }, { identity });
    expect(sessionProvider(settings)?.client?.id).toBe('portico-portal');
  });

  it('must name one', () => {
    expect(problems({ keys: [key] }, { identity })).toEqual([
      ['session.issuer', 'required when identity is an array: the issuer that members sign in with'],
    ]);
  });

  it('must name one with a client', () => {
    expect(problems({ keys: [key], issuer: other.issuer }, { identity })).toEqual([
      ['session', 'requires identity.client, which must be registered at the provider for sign-in'],
    ]);
  });
});
