import { unauthenticated, upstream, upstreamStatus } from '@portico/core';
import { fakeClock } from '@portico/core/testing';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { closedPort, httpServer, sendJson } from '../http/local-servers.test.support.ts';
import { tokenClient } from './token-client.ts';
import { formOf, issue, tokenEndpoint } from './token-endpoint.test.support.ts';

const form = { grant_type: 'client_credentials', scope: 'claims read', audience: undefined };

describe('a token request of a service', () => {
  it('carries the parameters that are set, and authenticates the client', async () => {
    const { tokens, server } = await tokenEndpoint();
    expect(await tokens.request(form)).toEqual(ok({ token: 'issued-1', expiresInSeconds: 300 }));
    const [request] = server.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/realms/portal/protocol/openid-connect/token',
      body: 'grant_type=client_credentials&scope=claims+read',
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${btoa('portico:the+secret')}`,
      },
    });
  });

  it('carries the secret in the form if the method is client_secret_post', async () => {
    const client = { id: 'portico', secret: 's', method: 'client_secret_post' } as const;
    const { tokens, server } = await tokenEndpoint(issue, { client });
    await tokens.request(form);
    expect(server.requests.map(formOf)).toEqual([
      { grant_type: 'client_credentials', scope: 'claims read', client_id: 'portico', client_secret: 's' },
    ]);
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('goes to the configured URL', async () => {
    const server = await httpServer((response) => issue(response, new URLSearchParams(), 1));
    const client = { id: 'portico', secret: 's' };
    const tokens = tokenClient({ issuer: 'https://id.test', tokenUrl: `${server.url}/token`, client });
    expect((await tokens.request(form)).isOk()).toBe(true);
    expect(server.requests[0]?.path).toBe('/token');
  });
});

/** A provider whose discovery document is available from the given request on. */
const provider = async (availableFrom = 1, more = {}) => {
  let discoveries = 0;
  const server = await httpServer((response, { path }, nth) => {
    if (!path.endsWith('openid-configuration')) return issue(response, new URLSearchParams(), nth);
    return ++discoveries < availableFrom
      ? sendJson(response, {}, 503)
      : sendJson(response, { issuer: server.url, token_endpoint: `${server.url}/found`, ...more });
  });
  const client = { id: 'portico', secret: 's' };
  return { server, tokens: tokenClient({ issuer: server.url, client, clock: fakeClock() }) };
};

describe('the discovery of the token endpoint', () => {
  it('happens once for all requests', async () => {
    const { server, tokens } = await provider();
    await Promise.all([tokens.request(form), tokens.request(form)]);
    await tokens.request(form);
    expect(server.requests.map(({ path }) => path).toSorted()).toEqual([
      '/.well-known/openid-configuration',
      '/found',
      '/found',
      '/found',
    ]);
  });

  it('reads a document that is larger than a token response', async () => {
    const { tokens } = await provider(1, { scopes_supported: ['x'.repeat(100_000)] });
    expect((await tokens.request(form)).isOk()).toBe(true);
  });

  it('is repeated after it failed', async () => {
    const { tokens } = await provider(2);
    expect(await tokens.request(form)).toEqual(err(upstreamStatus('identity', 503)));
    expect((await tokens.request(form)).isOk()).toBe(true);
  });
});

const invalidGrant = unauthenticated('invalid-grant');
const challenge = { 'www-authenticate': 'Basic realm="id"', 'content-type': 'application/json' };

describe('a refused token request', () => {
  it.each([400, 401, 403])('has the failure for invalid_grant with status %i', async (status) => {
    const body = JSON.stringify({ error: 'invalid_grant', error_description: 'canary' });
    const { tokens } = await tokenEndpoint((response) => response.writeHead(status, challenge).end(body));
    expect(await tokens.request(form, invalidGrant)).toEqual(err(invalidGrant));
    expect(await tokens.request(form)).toEqual(err(upstreamStatus('identity', status)));
  });

  it.each([
    [400, { error: 'invalid_request' }],
    [400, { error: 'invalid_target' }],
    [400, { error: 'invalid_scope' }],
    [400, { error: ['invalid_grant'] }],
    [401, { error: 'invalid_client' }],
    [401, null],
    [403, { error: 'access_denied' }],
    [404, { error: 'invalid_grant' }],
    [302, { error: 'invalid_grant' }],
    [500, { error: 'invalid_grant' }],
    [503, 'down'],
  ])('is a failure of the identity provider for status %i with %j', async (status, body) => {
    const { tokens } = await tokenEndpoint((response) => sendJson(response, body, status));
    expect(await tokens.request(form, invalidGrant)).toEqual(err(upstreamStatus('identity', status)));
  });
});

describe('a token response', () => {
  it.each([
    ['no token', { token_type: 'Bearer' }],
    ['a token that ends the header line', { access_token: 'a\r\nx: y', token_type: 'Bearer' }],
    ['a token of another type', { access_token: 'a', token_type: 'N_A' }],
  ])('is malformed with %s', async (_case, body) => {
    const { tokens } = await tokenEndpoint((response) => sendJson(response, body));
    expect(await tokens.request(form)).toEqual(err(upstream('identity', 'malformed')));
  });

  it('may contain a token of 16 KiB', async () => {
    const token = 'a'.repeat(16_384);
    const { tokens } = await tokenEndpoint((response) =>
      sendJson(response, { access_token: token, token_type: 'Bearer', expires_in: 300 }),
    );
    expect(await tokens.request(form)).toMatchObject({ value: { token } });
  });

  it.each([
    ['the token', { access_token: 'a'.repeat(16_385), token_type: 'Bearer' }],
    ['the response', { access_token: 'a', token_type: 'Bearer', more: 'x'.repeat(65_536) }],
  ])('is too large when %s is too long', async (_case, body) => {
    const { tokens } = await tokenEndpoint((response) => sendJson(response, body));
    expect(await tokens.request(form)).toEqual(err(upstream('identity', 'too-large')));
  });
});

describe('an identity provider that does not work', () => {
  it('is a timeout when it is silent', async () => {
    const { tokens, server, clock } = await tokenEndpoint(() => {}, { timeoutMs: 700 });
    const pending = tokens.request(form);
    await server.until(() => server.requests.length === 1);
    clock.advance(699);
    expect(clock.scheduled).toBe(1);
    clock.advance(1);
    expect(await pending).toEqual(err(upstream('identity', 'timeout')));
  });

  it('has half of the deadline for the discovery of its endpoint', async () => {
    const clock = fakeClock();
    const server = await httpServer(() => {});
    const tokens = tokenClient({ issuer: server.url, client: { id: 'portico', secret: 's' }, clock, timeoutMs: 700 });
    const pending = tokens.request(form);
    await server.until(() => server.requests.length === 1);
    clock.advance(349);
    expect(clock.scheduled).toBe(1);
    clock.advance(1);
    expect(await pending).toEqual(err(upstream('identity', 'timeout')));
  });

  it('is the service identity to the observer of its requests', async () => {
    const called: unknown[] = [];
    const observer = { called: (...call: readonly unknown[]) => called.push(call) };
    const { tokens } = await tokenEndpoint(issue, { observer });
    await tokens.request(form);
    expect(called).toEqual([['identity', 'ok', 0]]);
  });

  it('is unreachable when it is down; repeated failures open its circuit breaker', async () => {
    const { url, open } = await closedPort();
    const clock = fakeClock();
    const issuer = `${url}/realms/portal`;
    const client = { id: 'portico', secret: 's' };
    const tokens = tokenClient({ issuer, client, clock, breakAfterFailures: 3, breakForMs: 2000 });
    for (let nth = 0; nth < 3; nth++)
      expect(await tokens.request(form)).toEqual(err(upstream('identity', 'unreachable')));
    await open((response) => issue(response, new URLSearchParams(), 1));
    expect(await tokens.request(form)).toEqual(err(upstream('identity', 'circuit-open')));
    clock.advance(2000);
    expect((await tokens.request(form)).isOk()).toBe(true);
  });

  it('has a limit of concurrent requests', async () => {
    const { tokens } = await tokenEndpoint(() => {}, { maxInFlight: 1, maxWaiting: 0 });
    void tokens.request(form);
    await Promise.resolve();
    expect(await tokens.request(form)).toEqual(err({ kind: 'overloaded', retryAfterSeconds: 1 }));
  });
});
