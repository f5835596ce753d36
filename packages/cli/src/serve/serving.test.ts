import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileWith } from '../program/binary.test.support.ts';
import {
  bearer,
  becknNetwork,
  closedPort,
  identityProvider,
  legAt,
  memberEnvironment,
  searchFor,
  sendJson,
  webServer,
} from '../program/outside-world.test.support.ts';
import { serving } from './running-server.test.support.ts';

const test = { onTestFinished };

/** Search settings of tests that run no search. */
const unusedSearch = { legs: { moa: legAt('http://127.0.0.1:9') } };

/** Sends the callback of a seller for this transaction. */
const callBackTo = async (url: string, transactionId: string) => {
  const response = await fetch(`${url}/on_search`, {
    method: 'POST',
    body: JSON.stringify({ context: { action: 'on_search', transaction_id: transactionId }, message: {} }),
  });
  return [response.status, await response.json()] as const;
};

describe('a server with settings', () => {
  it('rejects requests and callbacks above the configured sizes', async () => {
    const identity = await identityProvider(test);
    const { url } = await serving(test, memberEnvironment(identity.issuer, identity.issuer), {
      search: unusedSearch,
      limits: { maxRequestBytes: 10, maxCallbackBytes: 20 },
    });
    const { headers } = bearer(identity.token());
    const statusOf = async (path: string, body: string) =>
      (
        await fetch(`${url}${path}`, {
          method: 'POST',
          body,
          headers: { ...headers, 'content-type': 'application/json' },
        })
      ).status;

    expect(await statusOf('/me/claims', '{}'.padEnd(11))).toBe(413);
    expect(await statusOf('/me/claims', '{}'.padEnd(10))).toBe(400);
    expect(await statusOf('/api/search', '{}'.padEnd(11))).toBe(413);
    expect(await statusOf('/api/search', '{}'.padEnd(10))).toBe(400);
    expect(await statusOf('/on_search', '{}'.padEnd(21))).toBe(413);
    expect(await statusOf('/on_search', '{}'.padEnd(20))).toBe(400);
  });

  it('serves only the member API with the role member', async () => {
    const identity = await identityProvider(test);
    const service = await webServer(test, (response) => sendJson(response, { plan: 'Gold' }));
    const { url } = await serving(
      test,
      { ...memberEnvironment(identity.issuer, service.url), ROLES: 'member' },
      { search: unusedSearch },
    );
    const { headers } = bearer(identity.token());

    expect(await (await fetch(`${url}/me/coverage`, { headers })).json()).toEqual({ plan: 'Gold' });
    expect((await searchFor(url)).status).toBe(404);
    expect((await fetch(`${url}/api/legs`, { headers })).status).toBe(404);
    expect((await fetch(`${url}/on_search`, { method: 'POST', body: '{}', headers })).status).toBe(404);
  });

  it('serves only the search API with the roles search and callbacks', async () => {
    const { issuer } = await identityProvider(test);
    const env = { ...memberEnvironment(issuer, issuer), ROLES: 'search,callbacks' };
    const { url, serves } = await serving(test, env, { search: unusedSearch });

    expect(serves).toEqual(['federated search']);
    expect((await fetch(`${url}/me/coverage`)).status).toBe(404);
    expect((await fetch(`${url}/api/legs`)).status).toBe(200);
  });

  it('runs searches while Redis is unreachable, reports it in /health, and hides the password', async () => {
    const publicBase = Promise.withResolvers<string>();
    const network = await becknNetwork(test, publicBase.promise);
    const redisUrl = `redis://:hunter2@127.0.0.1:${closedPort}`;
    const search = { legs: { moa: legAt(network.url) } };
    const { url, close, lines } = await serving(test, { REDIS_URL: redisUrl }, { search });
    publicBase.resolve(`${url}/on_search`);
    const health = await (await fetch(`${url}/health`)).json();

    expect(health).toMatchObject({
      status: 'degraded',
      reasons: [expect.stringContaining('Redis')],
      pending: 0,
    });
    expect(await (await searchFor(url)).json()).toMatchObject({ moa: { context: { action: 'on_search' } } });
    expect(await Promise.all(network.responses)).toEqual([[200, { message: { ack: { status: 'ACK' } } }]]);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ pending: 0, callbacks: { delivered: 1 } });

    expect(await callBackTo(url, randomUUID())).toMatchObject([503, { message: { ack: { status: 'NACK' } } }]);
    await close();
    expect(`${lines.join()}${JSON.stringify(health)}`).not.toContain('hunter2');
  });

  it('serves the pages and their config.json', async () => {
    const { issuer } = await identityProvider(test);
    const page = fileWith(test, '<!doctype html><title>Portico</title>', { name: 'index.html' });
    const { url } = await serving(test, memberEnvironment(`${issuer}/realms/portico`, issuer), {
      pages: {
        directory: dirname(page),
        clientId: 'a-portal',
        scope: 'openid',
        authorizeParameters: { audience: 'portico' },
        brand: { name: 'Lakeside Health', headerColor: '#0b3c5d' },
      },
      search: { ...unusedSearch, personas: ['member'] },
    });
    const document = { headers: { accept: 'text/html' } };

    const account = await fetch(`${url}/account`, document);
    expect([account.status, await account.text()]).toEqual([200, '<!doctype html><title>Portico</title>']);
    expect(account.headers.get('content-security-policy')).toContain(`; connect-src 'self' ${issuer}; `);
    expect(await (await fetch(`${url}/config.json`)).json()).toEqual({
      issuer: `${issuer}/realms/portico`,
      clientId: 'a-portal',
      scope: 'openid',
      authorizeParameters: { audience: 'portico' },
      brand: { name: 'Lakeside Health', headerColor: '#0b3c5d' },
      personas: ['member'],
      services: ['eligibility', 'claims', 'documents', 'policy', 'notifications', 'consent'],
    });
    expect((await fetch(`${url}/me/coverage`, document)).status).toBe(401);
    expect((await fetch(`${url}/health`, document)).headers.get('content-type')).toMatch(/^application\/json/);
    expect((await fetch(url)).headers.has('access-control-allow-origin')).toBe(false);
  });

  it('allows cross-origin requests only from the configured origins', async () => {
    const { issuer } = await identityProvider(test);
    const origin = 'https://portal.example';
    const { url } = await serving(test, memberEnvironment(issuer, issuer), { cors: { origins: [origin] } });
    const allowed = async (headers: Readonly<Record<string, string>>, method = 'GET') => {
      const { status, headers: received } = await fetch(`${url}/me/coverage`, { method, headers });
      return [status, received.get('access-control-allow-origin')];
    };

    expect(await allowed({ origin })).toEqual([401, origin]);
    expect(await allowed({ origin: 'https://else.example' })).toEqual([401, null]);
    expect(await allowed({ origin, 'access-control-request-method': 'GET' }, 'OPTIONS')).toEqual([204, origin]);
  });

  it('logs a warning when no API is enabled', async () => {
    const { url, lines } = await serving(test);

    expect(lines.join('\n')).toMatch(/"level":"warn".*"message":"no API is enabled: set identity and downstreams/);
    expect((await fetch(`${url}/me/coverage`)).status).toBe(404);
  });

  it('serves while the identity provider is down, and logs a warning without secrets', async () => {
    const { token } = await identityProvider(test);
    const deadUrl = `http://127.0.0.1:${closedPort}`;
    const { url, lines } = await serving(test, {
      ...memberEnvironment(deadUrl, deadUrl),
      IDENTITY_JWKS_URL: `${deadUrl}/keys?key=hunter2`,
    });

    await expect.poll(() => lines, { interval: 5 }).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      time: expect.any(String),
      level: 'warn',
      message: 'no keys from the identity provider yet; member requests get 502 until they are loaded',
      failure: { kind: 'upstream', service: 'identity', reason: 'unreachable' },
    });
    const response = await fetch(`${url}/me/coverage`, bearer(token()));
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { service: 'identity', reason: 'unreachable' },
    ]);
    expect((await fetch(`${url}/me/coverage`)).status).toBe(401);
    expect(lines.join()).not.toContain('hunter2');
  });

  it('is ready as soon as it has keys, and requests them until then', async () => {
    let isDown = true;
    const provider = await identityProvider(test);
    const keyServer = await webServer(test, (response) => {
      if (isDown) response.writeHead(503).end();
      else void fetch(provider.jwksUrl).then(async (keys) => sendJson(response, await keys.json()));
    });
    const { url } = await serving(test, {
      ...memberEnvironment(provider.issuer, keyServer.url),
      IDENTITY_JWKS_URL: keyServer.url,
    });
    const ready = async () => (await fetch(`${url}/readyz`)).status;
    expect(await ready()).toBe(503);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    isDown = false;
    await expect.poll(ready).toBe(200);
  });

  it('responds with 429 to a member above the rate limit, and serves other members', async () => {
    const identity = await identityProvider(test);
    const services = await webServer(test, (response) => sendJson(response, { plan: 'gold' }));
    const limits = { memberRequests: { requests: 2, seconds: 60 } };
    const { url } = await serving(test, memberEnvironment(identity.issuer, services.url), { limits });
    const statusFor = async (sub: string) =>
      (await fetch(`${url}/me/coverage`, bearer(identity.token({ sub })))).status;
    expect([await statusFor('PTY-1'), await statusFor('PTY-1'), await statusFor('PTY-1')]).toEqual([200, 200, 429]);
    expect(await statusFor('PTY-2')).toBe(200);
    expect(services.received).toHaveLength(3);
  });

  it('rejects headers above the configured size', async () => {
    const connections = { maxHeaderBytes: 1024 };
    const { url } = await serving(test, {}, { connections });
    const statusOf = async (bytes: number) =>
      (await fetch(`${url}/livez`, { headers: { 'x-long': 'x'.repeat(bytes) } })).status;
    expect([await statusOf(100), await statusOf(1100)]).toEqual([200, 431]);
  });

  it('forwards the trace context of each request to the services', async () => {
    const identity = await identityProvider(test);
    const traces = new Map<string, unknown>();
    const services = await webServer(test, (response, { url = '', headers }) => {
      traces.set(url, headers.traceparent);
      sendJson(response, {});
    });
    const { url } = await serving(test, memberEnvironment(identity.issuer, services.url));
    const request = (path: string, traceparent?: string) =>
      fetch(url + path, {
        headers: { ...bearer(identity.token()).headers, ...(traceparent !== undefined && { traceparent }) },
      });
    const [one, other] = ['1', '2'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`);
    await Promise.all([request('/me/coverage', one), request('/me/claims', other), request('/me/profile')]);
    expect(Object.fromEntries(traces)).toEqual({
      '/eligibility/members/PTY-1/coverage': one,
      '/claims/members/PTY-1/claims': other,
      '/policy/parties/PTY-1': undefined,
    });
  });

  it('logs one line per request, without private data', async () => {
    const identity = await identityProvider(test);
    const service = await webServer(test, (response) => sendJson(response, { plan: 'hunter2' }));
    const { url, lines } = await serving(test, memberEnvironment(identity.issuer, service.url));
    const token = identity.token({ sub: 'PTY-hunter2' });
    const response = await fetch(`${url}/me/claims/CLM-hunter2?name=hunter2`, bearer(token));
    expect([response.status, await response.json()]).toEqual([200, { plan: 'hunter2' }]);
    await expect.poll(() => lines, { interval: 5 }).toHaveLength(1);

    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: 'info',
        message: 'request',
        requestId: response.headers.get('x-request-id'),
        method: 'GET',
        route: '/me/claims/:locator',
        status: 200,
        outcome: 'sent',
        durationMs: expect.any(Number),
        authenticationMs: expect.any(Number),
        useCaseMs: expect.any(Number),
        sendingMs: expect.any(Number),
      },
    ]);
    for (const secret of ['hunter2', token, service.url]) expect(lines.join()).not.toContain(secret);
  });
});
