import { type Failure, type TokenRequest, unauthenticated, upstream, type UpstreamReason } from '@portico/core';
import { type FakeClock, fakeClock } from '@portico/core/testing';
import { err, ok } from 'neverthrow';
import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { httpIdentity, type IdentitySettings } from './identity.ts';
import { closedPort, httpServer, tappedFetch, tcpServer } from '../http/local-servers.test.support.ts';

const realm = 'https://id.test/realms/portal';
const endpoint = '/realms/portal/protocol/openid-connect/token';
const json = { 'content-type': 'application/json' };
const granted = '{"access_token":"aaaa.bbbb.cccc","token_type":"Bearer"}';

const member = { grant: 'password', clientId: 'portico-cli', username: 'member-1', password: 'right' } as const;
const client = { grant: 'client_credentials', clientId: 'portico-smoke' } as const;

let clock: FakeClock;

beforeEach(() => {
  clock = fakeClock();
  nock.disableNetConnect();
  nock.enableNetConnect('127.0.0.1');
});

afterEach(async () => {
  const pending = nock.pendingMocks();
  nock.cleanAll();
  expect(pending, 'what was expected on the wire').toEqual([]);
  await expect.poll(() => clock.scheduled, { interval: 1, message: 'timers left behind' }).toBe(0);
});

const ask = (request: TokenRequest, settings: Partial<IdentitySettings> = {}) =>
  httpIdentity({ issuer: realm, audience: ['portico'], clock, ...settings }).requestToken(request);

/** Grants one token at this address, and gives the request as it was on the wire. */
const hear = async (request: TokenRequest, settings: Partial<IdentitySettings> = {}, path = endpoint) => {
  const heard: { request?: Request; body?: string } = {};
  nock('https://id.test')
    .post(path)
    .reply(async (request: Request) => {
      heard.request = request;
      heard.body = await request.text();
      return [200, granted, json];
    });
  const answer = await ask(request, settings);
  return { ...heard, answer };
};

describe('a token request', () => {
  it.each<[string, TokenRequest, string]>([
    ['of a member', member, 'grant_type=password&client_id=portico-cli&username=member-1&password=right'],
    [
      'of a member by a client with a secret',
      { ...member, clientSecret: 's3cret' },
      'grant_type=password&client_id=portico-cli&client_secret=s3cret&username=member-1&password=right',
    ],
    [
      'of a member for a scope',
      { ...member, scope: 'openid profile' },
      'grant_type=password&client_id=portico-cli&username=member-1&password=right&scope=openid+profile',
    ],
    [
      'of a member with everything',
      { ...member, clientSecret: 's3cret', scope: 'openid' },
      'grant_type=password&client_id=portico-cli&client_secret=s3cret&username=member-1&password=right&scope=openid',
    ],
    ['of a client', client, 'grant_type=client_credentials&client_id=portico-smoke'],
    [
      'of a client with a secret',
      { ...client, clientSecret: 's3cret' },
      'grant_type=client_credentials&client_id=portico-smoke&client_secret=s3cret',
    ],
    [
      'of a client for a scope',
      { ...client, clientSecret: 's3cret', scope: 'openid profile' },
      'grant_type=client_credentials&client_id=portico-smoke&client_secret=s3cret&scope=openid+profile',
    ],
  ])('%s is a form of what was given, and of nothing else', async (_, asked, form) => {
    const { request, body, answer } = await hear(asked);
    expect(body).toBe(form);
    expect(answer).toEqual(ok({ token: 'aaaa.bbbb.cccc' }));
    const { 'content-type': type, accept, authorization, cookie } = Object.fromEntries(request?.headers ?? []);
    expect({ type, accept, authorization, cookie }).toEqual({
      type: 'application/x-www-form-urlencoded',
      accept: 'application/json',
    });
  });

  it.each([
    'a&password=b',
    'a+b c',
    'a=b==',
    '100%25',
    'größer-als-ß',
    '漢字 😀',
    '#?/\\"\'<>',
    '\ttab\r\nline',
    ' blank ',
    '*-._~',
    '',
  ])('carries the password %j intact', async (password) => {
    const { body = '' } = await hear({ ...member, username: `member ${password}`, password, clientSecret: password });
    expect([...new URLSearchParams(body)]).toEqual([
      ['grant_type', 'password'],
      ['client_id', 'portico-cli'],
      ['client_secret', password],
      ['username', `member ${password}`],
      ['password', password],
    ]);
    expect(body).toMatch(/^[A-Za-z0-9*._+%&=-]*$/);
  });

  it('is encoded as UTF-8, character by character', async () => {
    const { body } = await hear({ ...member, password: 'a&b=c+d %ü' });
    expect(body).toMatch(/&password=a%26b%3Dc%2Bd\+%25%C3%BC$/);
  });
});

describe('where a token is asked for', () => {
  it('is where the settings say, whatever the issuer', async () => {
    for (const issuer of [realm, 'https://elsewhere.test']) {
      const settings = { issuer, tokenUrl: 'https://id.test/oauth/token?tenant=1' };
      const { request } = await hear(member, settings, '/oauth/token?tenant=1');
      expect([request?.method, request?.url]).toEqual(['POST', settings.tokenUrl]);
    }
  });

  it.each([
    [realm, endpoint],
    [`${realm}/`, endpoint],
    ['https://id.test/auth/realms/portal', `/auth${endpoint}`],
    ['https://id.test/realms/a%20b', '/realms/a%20b/protocol/openid-connect/token'],
  ])('is the known place of the realm %s, without asking for it', async (issuer, path) => {
    const { request, answer } = await hear(member, { issuer }, path);
    expect(answer.isOk()).toBe(true);
    expect([request?.method, request?.url]).toEqual(['POST', `https://id.test${path}`]);
  });

  it.each([
    ['https://id.test', '/.well-known/openid-configuration'],
    ['https://id.test/', '/.well-known/openid-configuration'],
    ['https://id.test/tenant-1', '/tenant-1/.well-known/openid-configuration'],
    ['https://id.test/realms', '/realms/.well-known/openid-configuration'],
    ['https://id.test/realms/portal/v2', '/realms/portal/v2/.well-known/openid-configuration'],
  ])('is what the issuer %s says', async (issuer, description) => {
    nock('https://id.test')
      .get(description)
      .reply(200, { issuer, token_endpoint: 'https://id.test/connect/token', jwks_uri: 'unread' }, json);
    const { request, answer } = await hear(member, { issuer }, '/connect/token');
    expect(answer.isOk()).toBe(true);
    expect(request?.url).toBe('https://id.test/connect/token');
  });

  it.each<[string, (url: string) => unknown]>([
    ['another issuer', (url) => ({ issuer: 'https://elsewhere.test', token_endpoint: `${url}/token` })],
    ['an issuer with a slash more', (url) => ({ issuer: `${url}/`, token_endpoint: `${url}/token` })],
    ['no issuer', (url) => ({ token_endpoint: `${url}/token` })],
    ['no token endpoint', (url) => ({ issuer: url, jwks_uri: `${url}/jwks` })],
    ['several token endpoints', (url) => ({ issuer: url, token_endpoint: [`${url}/token`] })],
    ['a token endpoint that is not on the web', (url) => ({ issuer: url, token_endpoint: 'file:///etc/token' })],
    ['nothing', () => null],
    ['text', () => 'canary'],
  ])('is nowhere when the issuer describes itself with %s', async (_, describeItself) => {
    const server = await httpServer((response) =>
      response.writeHead(200, json).end(JSON.stringify(describeItself(server.url))),
    );
    expect(await ask(member, { issuer: server.url })).toEqual(failed('malformed'));
    expect(server.requests.map(({ method, path }) => [method, path])).toEqual([
      ['GET', '/.well-known/openid-configuration'],
    ]);
  });

  it.each(['http://id.test/token', 'HTTP://id.test/token', 'http://127.0.0.1/token'])(
    'is not %s when an https issuer says so: no password goes there',
    async (endpoint) => {
      const issuer = 'https://id.test';
      nock(issuer).get('/.well-known/openid-configuration').reply(200, { issuer, token_endpoint: endpoint }, json);
      expect(await ask(member, { issuer })).toEqual(failed('malformed'));
    },
  );

  it('may be another host when an https issuer says so, by https', async () => {
    const issuer = 'https://issuer.test';
    nock(issuer)
      .get('/.well-known/openid-configuration')
      .reply(200, { issuer, token_endpoint: 'https://id.test/token' }, json);
    const { request } = await hear(member, { issuer }, '/token');
    expect(request?.url).toBe('https://id.test/token');
  });

  it('may be plain http when the issuer is, or the settings say so', async () => {
    const server = await httpServer((response, { method }) =>
      response
        .writeHead(200, json)
        .end(method === 'POST' ? granted : JSON.stringify({ issuer: server.url, token_endpoint: `${server.url}/t` })),
    );
    for (const settings of [{ issuer: server.url }, { issuer: 'https://id.test', tokenUrl: `${server.url}/t` }])
      expect(await ask(member, settings)).toEqual(ok({ token: 'aaaa.bbbb.cccc' }));
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /.well-known/openid-configuration',
      'POST /t',
      'POST /t',
    ]);
  });

  it.each([404, 500, 302])('is nowhere when the issuer answers %i', async (status) => {
    const server = await httpServer((response) => response.writeHead(status, { location: '/elsewhere' }).end());
    expect(await ask(member, { issuer: server.url })).toEqual(failed('status'));
    expect(server.requests).toHaveLength(1);
  });
});

const failed = (reason: UpstreamReason) => err<never, Failure>(upstream('identity', reason));
const notTaken = (path: string, message: string) =>
  err({
    kind: 'invalid',
    detail: 'The identity provider does not take this token request.',
    errors: [{ path, message }],
  });

const secretive = { ...member, username: 'canary-user', password: 'canary-password', clientSecret: 'canary-secret' };

/** What comes of a request full of secrets to a secret address, and how often it was on the wire. */
const told = async (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = json,
  { request = secretive, ...settings }: Partial<IdentitySettings> & { readonly request?: TokenRequest } = {},
) => {
  const server = await httpServer((response) => response.writeHead(status, headers).end(body));
  const answer = await ask(request, { tokenUrl: `${server.url}/canary/token`, ...settings });
  expect(server.requests.map(({ method, path }) => [method, path])).toEqual([['POST', '/canary/token']]);
  return answer;
};

const tokenLiving = (expires: unknown) =>
  told(200, JSON.stringify({ access_token: 'a.b.c', token_type: 'Bearer', expires_in: expires, scope: 'openid' }));

const keepsSecrets = (answer: unknown) => expect(JSON.stringify(answer)).not.toMatch(/canary|127\.0\.0\.1|id\.test/);

describe('a token', () => {
  it.each(['Bearer', 'bearer', 'BEARER'])('may be of the type %s', async (type) => {
    expect(await told(200, JSON.stringify({ access_token: 'aaaa.bbbb.cccc', token_type: type }))).toEqual(
      ok({ token: 'aaaa.bbbb.cccc' }),
    );
  });

  it('may come without a type', async () => {
    expect(await told(200, '{"access_token":"aaaa.bbbb.cccc"}')).toEqual(ok({ token: 'aaaa.bbbb.cccc' }));
  });

  it('comes with how long it lives, when the provider says it in a number', async () => {
    expect(await tokenLiving(900)).toEqual(ok({ token: 'a.b.c', expiresInSeconds: 900 }));
    expect(await tokenLiving(0)).toEqual(ok({ token: 'a.b.c', expiresInSeconds: 0 }));
    for (const expires of ['900', null, undefined, [900]])
      expect(await tokenLiving(expires)).toEqual(ok({ token: 'a.b.c' }));
  });

  it.each([
    ['nothing', ''],
    ['no JSON', 'canary'],
    ['a page', '<p>canary</p>'],
    ['JSON that breaks off', '{"access_token":"canary'],
    ['null', 'null'],
    ['a list', '["canary"]'],
    ['text', '"canary"'],
    ['no token', '{"token_type":"Bearer","id_token":"canary"}'],
    ['an empty token', '{"access_token":"","token_type":"Bearer"}'],
    ['a token that is no text', '{"access_token":{"canary":1},"token_type":"Bearer"}'],
    ['a token of another type', '{"access_token":"canary","token_type":"DPoP"}'],
    ['a token of no type at all', '{"access_token":"canary","token_type":"N_A"}'],
    ['a token of an empty type', '{"access_token":"canary","token_type":""}'],
    ['a token whose type is no text', '{"access_token":"canary","token_type":["Bearer"]}'],
  ])('is not found in %s', async (_, body) => {
    const answer = await told(200, body);
    expect(answer).toEqual(failed('malformed'));
    keepsSecrets(answer);
  });

  it('is not looked for in more than a mebibyte', async () => {
    const padded = JSON.stringify({ access_token: 'canary', padding: 'x'.repeat(1_048_576) });
    expect(await told(200, padded)).toEqual(failed('too-large'));
  });
});

describe('the provider refuses', () => {
  const refusals: readonly (readonly [string, unknown])[] = [
    ['invalid_grant', err(unauthenticated('invalid-grant'))],
    ['invalid_client', err(unauthenticated('invalid-client'))],
    ['unauthorized_client', err(unauthenticated('invalid-client'))],
    ['unsupported_grant_type', notTaken('/grant_type', 'is not offered by the identity provider')],
    ['invalid_scope', notTaken('/scope', 'is not offered by the identity provider')],
    ['invalid_request', notTaken('', 'is not one that the identity provider takes from this client')],
  ];

  describe.each([400, 401])('with %i', (status) => {
    it.each(refusals)('and says %s', async (error, refusal) => {
      const body = { error, error_description: 'canary-password', error_uri: 'https://id.test/canary' };
      const answer = await told(status, JSON.stringify(body));
      expect(answer).toEqual(refusal);
      keepsSecrets(answer);
    });

    it.each([
      ['a code of its own', '{"error":"canary_password"}'],
      ['a code in other letters', '{"error":"INVALID_CLIENT"}'],
      ['a code that is no text', '{"error":["invalid_client"]}'],
      ['no code', '{"message":"canary"}'],
      ['a page', '<p>canary-password</p>'],
      ['nothing', ''],
      ['null', 'null'],
    ])('and says nothing that is known: %s', async (_, body) => {
      const answer = await told(status, body, {
        'content-type': body.startsWith('<') ? 'text/html' : json['content-type'],
      });
      expect(answer).toEqual(status === 401 ? err(unauthenticated('invalid-grant')) : failed('status'));
      keepsSecrets(answer);
    });
  });

  it.each([
    ['invalid-grant', 'a password', secretive],
    ['invalid-client', 'a client that signs in for itself', { ...client, clientSecret: 'canary-secret' }],
  ] as const)('with a bare 401, which is the refusal "%s" of %s', async (reason, _, request) => {
    for (const body of ['', 'null', '{"error":"canary"}', '<p>canary-password</p>']) {
      const answer = await told(401, body, json, { request });
      expect(answer).toEqual(err(unauthenticated(reason)));
      keepsSecrets(answer);
    }
  });

  it('a client that signs in for itself by the code it gives, whatever the grant', async () => {
    for (const [error, refusal] of refusals)
      expect(await told(401, JSON.stringify({ error }), json, { request: client })).toEqual(refusal);
    expect(await told(400, '{}', json, { request: client })).toEqual(failed('status'));
  });

  it('and calls its JSON something else', async () => {
    expect(await told(400, '{"error":"invalid_grant"}', { 'content-type': 'text/plain' })).toEqual(
      err(unauthenticated('invalid-grant')),
    );
  });
});

describe('the provider fails', () => {
  it.each([201, 202, 204, 206, 304, 402, 403, 404, 405, 408, 415, 429, 500, 502, 503, 504])(
    'when it answers %i, and is not asked again',
    async (status) => {
      const bodiless = status === 204 || status === 304;
      const answer = await told(status, bodiless ? '' : '{"access_token":"canary","error":"invalid_grant"}', {
        ...json,
        'retry-after': '0',
      });
      expect(answer).toEqual(failed('status'));
      keepsSecrets(answer);
    },
  );

  it.each([301, 302, 303, 307, 308])('when it answers %i, and the secrets go nowhere else', async (status) => {
    const elsewhere = await httpServer((response) => response.writeHead(200, json).end(granted));
    const redirection = { ...json, location: `${elsewhere.url}/canary` };
    for (const transport of [{}, { fetch: tappedFetch({}) }]) {
      const answer = await told(status, granted, redirection, transport);
      expect(answer).toEqual(failed('status'));
      keepsSecrets(answer);
    }
    expect(elsewhere.connections).toBe(0);
  });

  it('when nobody is there, and is not tried again', async () => {
    const { url } = await closedPort();
    const attempts: number[] = [];
    const fetch = tappedFetch({ onAttempt: (nth) => void attempts.push(nth) });
    const answer = await ask(secretive, { tokenUrl: `${url}/canary`, fetch });
    expect(answer).toEqual(failed('unreachable'));
    keepsSecrets(answer);
    expect(attempts).toEqual([1]);
  });

  it.each(['reset', 'closed'])('when the connection is %s, and never asks twice', async (how) => {
    const server = await tcpServer((socket) => (how === 'reset' ? socket.resetAndDestroy() : socket.end()));
    const answer = await ask(secretive, { tokenUrl: `${server.url}/canary` });
    expect(answer).toEqual(failed('unreachable'));
    keepsSecrets(answer);
    expect(server.requests.map((request) => request.slice(0, 12))).toEqual(['POST /canary']);
  });

  it('when its answer breaks off, and is not asked again', async () => {
    const server = await tcpServer((socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"access_token":"canary',
      );
      socket.end();
    });
    const answer = await ask(secretive, { tokenUrl: server.url });
    expect(answer).toEqual(failed('unreachable'));
    keepsSecrets(answer);
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, (url: string) => Partial<IdentitySettings>]>([
    ['where the settings say', (url) => ({ tokenUrl: `${url}/canary` })],
    ['where the settings say, as they do of its keys', (url) => ({ tokenUrl: url, jwksUrl: `${url}/jwks` })],
    ['in the known place of a realm', (url) => ({ issuer: `${url}/realms/canary` })],
  ])('when it says nothing until the deadline, and is not asked again: %s', async (_, place) => {
    const server = await httpServer(() => {});
    const answering = ask(secretive, { timeoutMs: 700, ...place(server.url) });
    await server.until(() => server.requests.length === 1);
    clock.advance(699);
    expect(clock.scheduled).toBe(1);
    clock.advance(1);
    const answer = await answering;
    expect(answer).toEqual(failed('timeout'));
    keepsSecrets(answer);
    await server.until(() => server.open === 0);
    expect(server.requests.map(({ method }) => method)).toEqual(['POST']);
  });

  it('when its answer does not end before the deadline', async () => {
    const server = await httpServer((response) => response.writeHead(200, json).write('{"access_token":"canary'));
    const fetch = tappedFetch({ onChunk: () => setImmediate(() => clock.advance(700)) });
    expect(await ask(secretive, { tokenUrl: server.url, timeoutMs: 700, fetch })).toEqual(failed('timeout'));
    await server.until(() => server.open === 0);
    expect(server.requests).toHaveLength(1);
  });

  describe.each<[string, (url: string) => Partial<IdentitySettings>]>([
    ['its keys are to be found too', () => ({})],
    ['its keys are known', (url) => ({ jwksUrl: `${url}/jwks` })],
  ])('when it has to be found first and %s', (_, settings) => {
    it('and its own description does not come within half of the deadline', async () => {
      const server = await httpServer(() => {});
      const answering = ask(secretive, { issuer: server.url, timeoutMs: 700, ...settings(server.url) });
      await server.until(() => server.requests.length === 1);
      clock.advance(349);
      expect(clock.scheduled).toBe(1);
      clock.advance(1);
      expect(await answering).toEqual(failed('timeout'));
      await server.until(() => server.open === 0);
      expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
    });

    it('and description and token do not come within the deadline together', async () => {
      const server = await httpServer((response, { method }) => {
        if (method === 'POST') return;
        clock.advance(349);
        response
          .writeHead(200, { ...json, connection: 'close' })
          .end(JSON.stringify({ issuer: server.url, token_endpoint: `${server.url}/t` }));
      });
      const answering = ask(secretive, { issuer: server.url, timeoutMs: 700, ...settings(server.url) });
      await server.until(() => server.requests.length === 2);
      clock.advance(349);
      expect(clock.scheduled).toBe(1);
      clock.advance(1);
      expect(await answering).toEqual(failed('timeout'));
      expect(clock.monotonic()).toBe(699);
      await server.until(() => server.open === 0);
      expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
    });
  });
});
