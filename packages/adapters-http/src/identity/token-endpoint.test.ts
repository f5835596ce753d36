import {
  type Failure,
  type TokenRequest,
  unauthenticated,
  upstream,
  upstreamStatus,
  type UpstreamReason,
} from '@portico/core';
import { type FakeClock, fakeClock } from '@portico/core/testing';
import { err, ok } from 'neverthrow';
import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { httpIdentity, type IdentitySettings } from './identity.ts';
import { closedPort, describeOnce, httpServer, tappedFetch, tcpServer } from '../http/local-servers.test.support.ts';

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
  nock.enableNetConnect();
  expect(pending, 'requests that were not sent').toEqual([]);
  await expect.poll(() => clock.scheduled, { interval: 1, message: 'timers that are still scheduled' }).toBe(0);
});

const requestToken = (request: TokenRequest, settings: Partial<IdentitySettings> = {}) =>
  httpIdentity({ issuer: realm, audience: ['portico'], clock, ...settings }).requestToken(request);

/** Issues one token at this path, and returns the request and the result of the call. */
const exchange = async (request: TokenRequest, settings: Partial<IdentitySettings> = {}, path = endpoint) => {
  const received: { request?: Request; body?: string } = {};
  nock('https://id.test')
    .post(path)
    .reply(async (request: Request) => {
      received.request = request;
      received.body = await request.text();
      return [200, granted, json];
    });
  const result = await requestToken(request, settings);
  return { ...received, result };
};

describeOnce('a token request', () => {
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
  ])('a token request is a form with exactly the given values: %s', async (_, tokenRequest, form) => {
    const { request, body, result } = await exchange(tokenRequest);
    expect(body).toBe(form);
    expect(result).toEqual(ok({ token: 'aaaa.bbbb.cccc' }));
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
  ])('encodes the password %j losslessly', async (password) => {
    const { body = '' } = await exchange({
      ...member,
      username: `member ${password}`,
      password,
      clientSecret: password,
    });
    expect([...new URLSearchParams(body)]).toEqual([
      ['grant_type', 'password'],
      ['client_id', 'portico-cli'],
      ['client_secret', password],
      ['username', `member ${password}`],
      ['password', password],
    ]);
    expect(body).toMatch(/^[A-Za-z0-9*._+%&=-]*$/);
  });
});

describe('the token endpoint', () => {
  it('the token endpoint is the URL in the settings, regardless of the issuer', async () => {
    for (const issuer of [realm, 'https://target.test']) {
      const settings = { issuer, tokenUrl: 'https://id.test/oauth/token?tenant=1' };
      const { request } = await exchange(member, settings, '/oauth/token?tenant=1');
      expect([request?.method, request?.url]).toEqual(['POST', settings.tokenUrl]);
    }
  });

  it('the token endpoint is the fixed path of a realm, without discovery', async () => {
    const path = '/realms/a%20b/protocol/openid-connect/token';
    const { request, result } = await exchange(member, { issuer: 'https://id.test/realms/a%20b' }, path);
    expect(result.isOk()).toBe(true);
    expect([request?.method, request?.url]).toEqual(['POST', `https://id.test${path}`]);
  });

  it('the token endpoint is discovered from another issuer', async () => {
    const issuer = 'https://id.test/realms/portal/v2';
    nock('https://id.test')
      .get('/realms/portal/v2/.well-known/openid-configuration')
      .reply(200, { issuer, token_endpoint: 'https://id.test/connect/token', jwks_uri: 'unread' }, json);
    const { request, result } = await exchange(member, { issuer }, '/connect/token');
    expect(result.isOk()).toBe(true);
    expect(request?.url).toBe('https://id.test/connect/token');
  });

  it('a password is not sent to the token endpoint in the discovery document of another issuer', async () => {
    const server = await httpServer((response) =>
      response
        .writeHead(200, json)
        .end(JSON.stringify({ issuer: 'https://target.test', token_endpoint: `${server.url}/token` })),
    );
    expect(await requestToken(member, { issuer: server.url })).toEqual(failed('malformed'));
    expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it('the token endpoint may be plain http when the issuer is, or when it is configured', async () => {
    const server = await httpServer((response, { method }) =>
      response
        .writeHead(200, json)
        .end(method === 'POST' ? granted : JSON.stringify({ issuer: server.url, token_endpoint: `${server.url}/t` })),
    );
    for (const settings of [{ issuer: server.url }, { issuer: 'https://id.test', tokenUrl: `${server.url}/t` }])
      expect(await requestToken(member, settings)).toEqual(ok({ token: 'aaaa.bbbb.cccc' }));
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /.well-known/openid-configuration',
      'POST /t',
      'POST /t',
    ]);
  });
});

const failed = (reason: UpstreamReason) => err<never, Failure>(upstream('identity', reason));
const failedStatus = (status: number) => err<never, Failure>(upstreamStatus('identity', status));
const rejected = (path: string, message: string) =>
  err({
    kind: 'invalid',
    detail: 'The identity provider rejected the token request.',
    errors: [{ path, message }],
  });

const secretRequest = {
  ...member,
  username: 'canary-user',
  password: 'canary-password',
  clientSecret: 'canary-secret',
};

/** Sends a request with secrets to a secret URL, and checks that it is sent once. Returns its result. */
const resultOf = async (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = json,
  { request = secretRequest, ...settings }: Partial<IdentitySettings> & { readonly request?: TokenRequest } = {},
) => {
  const server = await httpServer((response) => response.writeHead(status, headers).end(body));
  const result = await requestToken(request, { tokenUrl: `${server.url}/canary/token`, ...settings });
  expect(server.requests.map(({ method, path }) => [method, path])).toEqual([['POST', '/canary/token']]);
  return result;
};

const tokenExpiringIn = (expires: unknown) =>
  resultOf(200, JSON.stringify({ access_token: 'a.b.c', token_type: 'Bearer', expires_in: expires, scope: 'openid' }));

const expectNoSecrets = (result: unknown) => expect(JSON.stringify(result)).not.toMatch(/canary|127\.0\.0\.1|id\.test/);

describeOnce('an issued token', () => {
  it.each(['Bearer', 'bearer', 'BEARER'])('an issued token may have the type %s', async (type) => {
    expect(await resultOf(200, JSON.stringify({ access_token: 'aaaa.bbbb.cccc', token_type: type }))).toEqual(
      ok({ token: 'aaaa.bbbb.cccc' }),
    );
  });

  it('an issued token may have no type', async () => {
    expect(await resultOf(200, '{"access_token":"aaaa.bbbb.cccc"}')).toEqual(ok({ token: 'aaaa.bbbb.cccc' }));
  });

  it('an issued token has a lifetime when expires_in is a number, or a string of 1 to 9 digits', async () => {
    expect(await tokenExpiringIn(900)).toEqual(ok({ token: 'a.b.c', expiresInSeconds: 900 }));
    expect(await tokenExpiringIn(0)).toEqual(ok({ token: 'a.b.c', expiresInSeconds: 0 }));
    expect(await tokenExpiringIn('900')).toEqual(ok({ token: 'a.b.c', expiresInSeconds: 900 }));
    for (const expires of ['', ' 900', '-1', '9e2', '1234567890', null, undefined, [900]])
      expect(await tokenExpiringIn(expires)).toEqual(ok({ token: 'a.b.c' }));
  });

  it.each([
    ['an empty body', ''],
    ['text', 'canary'],
    ['an HTML page', '<p>canary</p>'],
    ['truncated JSON', '{"access_token":"canary'],
    ['null', 'null'],
    ['an array', '["canary"]'],
    ['a string', '"canary"'],
    ['no token', '{"token_type":"Bearer","id_token":"canary"}'],
    ['an empty token', '{"access_token":"","token_type":"Bearer"}'],
    ['a token with a line break', '{"access_token":"can\\nary","token_type":"Bearer"}'],
    ['a token with an escape sequence', String.raw`{"access_token":"canary\u001b]0;x\u0007","token_type":"Bearer"}`],
    [
      'a token with a control character beyond ASCII',
      String.raw`{"access_token":"canary\u009b2J","token_type":"Bearer"}`,
    ],
    ['a token with a space', '{"access_token":"canary canary","token_type":"Bearer"}'],
    ['a token that is not a string', '{"access_token":{"canary":1},"token_type":"Bearer"}'],
    ['a token of another type', '{"access_token":"canary","token_type":"DPoP"}'],
    ['a token of the type N_A', '{"access_token":"canary","token_type":"N_A"}'],
    ['a token of an empty type', '{"access_token":"canary","token_type":""}'],
    ['a token whose type is not a string', '{"access_token":"canary","token_type":["Bearer"]}'],
  ])('an issued token is malformed in %s', async (_, body) => {
    const result = await resultOf(200, body);
    expect(result).toEqual(failed('malformed'));
    expectNoSecrets(result);
  });

  it('fails too-large above 1 MiB', async () => {
    const padded = JSON.stringify({ access_token: 'canary', padding: 'x'.repeat(1_048_576) });
    expect(await resultOf(200, padded)).toEqual(failed('too-large'));
  });
});

describeOnce('a rejected token request', () => {
  const rejections: readonly (readonly [string, unknown])[] = [
    ['invalid_grant', err(unauthenticated('invalid-grant'))],
    ['invalid_client', err(unauthenticated('invalid-client'))],
    ['unauthorized_client', err(unauthenticated('invalid-client'))],
    ['unsupported_grant_type', rejected('/grant_type', 'is not supported by the identity provider')],
    ['invalid_scope', rejected('/scope', 'is not supported by the identity provider')],
    ['invalid_request', rejected('', 'is not valid for this client')],
  ];

  describe.each([400, 401])('with %i', (status) => {
    it.each(rejections)('has a failure for the error %s', async (error, failure) => {
      const body = { error, error_description: 'canary-password', error_uri: 'https://id.test/canary' };
      const result = await resultOf(status, JSON.stringify(body));
      expect(result).toEqual(failure);
      expectNoSecrets(result);
    });

    it.each([
      ['an unknown code', '{"error":"canary_password"}'],
      ['a code in upper case', '{"error":"INVALID_CLIENT"}'],
      ['a code that is not a string', '{"error":["invalid_client"]}'],
      ['no code', '{"message":"canary"}'],
      ['an HTML page', '<p>canary-password</p>'],
      ['an empty body', ''],
      ['null', 'null'],
    ])('has a failure for the status alone: %s', async (_, body) => {
      const result = await resultOf(status, body, {
        'content-type': body.startsWith('<') ? 'text/html' : json['content-type'],
      });
      expect(result).toEqual(status === 401 ? err(unauthenticated('invalid-grant')) : failedStatus(status));
      expectNoSecrets(result);
    });
  });

  it('fails "invalid-client" for a client credentials grant after a 401 without a code', async () => {
    const request = { ...client, clientSecret: 'canary-secret' };
    for (const body of ['', 'null', '{"error":"canary"}', '<p>canary-password</p>']) {
      const result = await resultOf(401, body, json, { request });
      expect(result).toEqual(err(unauthenticated('invalid-client')));
      expectNoSecrets(result);
    }
  });

  it('fails by its error code for a client credentials grant', async () => {
    for (const [error, failure] of rejections)
      expect(await resultOf(401, JSON.stringify({ error }), json, { request: client })).toEqual(failure);
    expect(await resultOf(400, '{}', json, { request: client })).toEqual(failedStatus(400));
  });

  it('a rejected token request may have another media type', async () => {
    expect(await resultOf(400, '{"error":"invalid_grant"}', { 'content-type': 'text/plain' })).toEqual(
      err(unauthenticated('invalid-grant')),
    );
  });
});

describe('a faulty token endpoint', () => {
  it.each([201, 202, 204, 206, 304, 402, 403, 404, 405, 408, 415, 429, 500, 502, 503, 504])(
    'fails without a retry on %i',
    async (status) => {
      const bodiless = status === 204 || status === 304;
      const result = await resultOf(status, bodiless ? '' : '{"access_token":"canary","error":"invalid_grant"}', {
        ...json,
        'retry-after': '0',
      });
      expect(result).toEqual(failedStatus(status));
      expectNoSecrets(result);
    },
  );

  it.each([301, 302, 303, 307, 308])('a faulty token endpoint is not followed to another URL on %i', async (status) => {
    const target = await httpServer((response) => response.writeHead(200, json).end(granted));
    const headers = { ...json, location: `${target.url}/canary` };
    for (const transport of [{}, { fetch: tappedFetch({}) }]) {
      const result = await resultOf(status, granted, headers, transport);
      expect(result).toEqual(failedStatus(status));
      expectNoSecrets(result);
    }
    expect(target.connections).toBe(0);
  });

  it('fails without a retry when the connection is refused', async () => {
    const { url } = await closedPort();
    const attempts: number[] = [];
    const fetch = tappedFetch({ onAttempt: (nth) => void attempts.push(nth) });
    const result = await requestToken(secretRequest, { tokenUrl: `${url}/canary`, fetch });
    expect(result).toEqual(failed('unreachable'));
    expectNoSecrets(result);
    expect(attempts).toEqual([1]);
  });

  it.each(['reset', 'closed'])('fails without a retry when the connection is %s', async (how) => {
    const server = await tcpServer((socket) => (how === 'reset' ? socket.resetAndDestroy() : socket.end()));
    const result = await requestToken(secretRequest, { tokenUrl: `${server.url}/canary` });
    expect(result).toEqual(failed('unreachable'));
    expectNoSecrets(result);
    expect(server.requests.map((request) => request.slice(0, 12))).toEqual(['POST /canary']);
  });

  it('fails without a retry when the response is truncated', async () => {
    const server = await tcpServer((socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"access_token":"canary',
      );
      socket.end();
    });
    const result = await requestToken(secretRequest, { tokenUrl: server.url });
    expect(result).toEqual(failed('unreachable'));
    expectNoSecrets(result);
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, (url: string) => Partial<IdentitySettings>]>([
    ['a configured URL', (url) => ({ tokenUrl: `${url}/canary` })],
    ['a configured URL and key URL', (url) => ({ tokenUrl: url, jwksUrl: `${url}/jwks` })],
    ['the path of a realm', (url) => ({ issuer: `${url}/realms/canary` })],
  ])('fails at the deadline without a retry: %s', async (_, settings) => {
    const server = await httpServer(() => {});
    const pending = requestToken(secretRequest, { timeoutMs: 700, ...settings(server.url) });
    await server.until(() => server.requests.length === 1);
    clock.advance(699);
    expect(clock.scheduled).toBe(1);
    clock.advance(1);
    const result = await pending;
    expect(result).toEqual(failed('timeout'));
    expectNoSecrets(result);
    await server.until(() => server.open === 0);
    expect(server.requests.map(({ method }) => method)).toEqual(['POST']);
  });

  it('fails when the response does not end before the deadline', async () => {
    const server = await httpServer((response) => response.writeHead(200, json).write('{"access_token":"canary'));
    const fetch = tappedFetch({ onChunk: () => setImmediate(() => clock.advance(700)) });
    expect(await requestToken(secretRequest, { tokenUrl: server.url, timeoutMs: 700, fetch })).toEqual(
      failed('timeout'),
    );
    await server.until(() => server.open === 0);
    expect(server.requests).toHaveLength(1);
  });

  describe.each<[string, (url: string) => Partial<IdentitySettings>]>([
    ['without a key URL', () => ({})],
    ['with a key URL', (url) => ({ jwksUrl: `${url}/jwks` })],
  ])('discovery of the endpoint %s', (_, settings) => {
    it('fails when the discovery document takes more than half of the deadline', async () => {
      const server = await httpServer(() => {});
      const pending = requestToken(secretRequest, { issuer: server.url, timeoutMs: 700, ...settings(server.url) });
      await server.until(() => server.requests.length === 1);
      clock.advance(349);
      expect(clock.scheduled).toBe(1);
      clock.advance(1);
      expect(await pending).toEqual(failed('timeout'));
      await server.until(() => server.open === 0);
      expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
    });

    it('fails when document and token together exceed the deadline', async () => {
      const server = await httpServer((response, { method }) => {
        if (method === 'POST') return;
        clock.advance(349);
        response
          .writeHead(200, { ...json, connection: 'close' })
          .end(JSON.stringify({ issuer: server.url, token_endpoint: `${server.url}/t` }));
      });
      const pending = requestToken(secretRequest, { issuer: server.url, timeoutMs: 700, ...settings(server.url) });
      await server.until(() => server.requests.length === 2);
      clock.advance(349);
      expect(clock.scheduled).toBe(1);
      clock.advance(1);
      expect(await pending).toEqual(failed('timeout'));
      expect(clock.monotonic()).toBe(699);
      await server.until(() => server.open === 0);
      expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
    });
  });
});
