import type { Failure } from '@portico/core';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../mounting/openapi-document.ts';
import { type TestResponse, privateHeaders, routes, send, servePortal } from '../server/portal.test.support.ts';
import { aSearch, serveSearch } from '../server/search.test.support.ts';

const origin = 'https://portal.example';
const corsOrigins = [origin, 'http://localhost:5173'];

const preflight = (method: string, from: string = origin) => ({
  origin: from,
  'access-control-request-method': method,
  'access-control-request-headers': 'authorization,content-type',
  authorization: undefined,
});

/** The CORS headers of a response (Fetch Standard, section 3.3.3). */
const corsHeadersOf = ({ headers }: Pick<TestResponse, 'headers'>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));

const listOf = (header: unknown) => String(header).split(/\s*,\s*/);

const exposed = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
];

/** Expects that the page may read the response and the headers that it needs, without credentials. */
const expectReadable = (response: Pick<TestResponse, 'headers'>, by = origin) => {
  const { 'access-control-expose-headers': names, ...others } = corsHeadersOf(response);
  expect(others).toEqual({ 'access-control-allow-origin': by });
  expect(listOf(names)).toEqual(exposed);
};

const throwing = (): never => {
  throw new Error('a bug');
};

describe('server without CORS origins', () => {
  it.each([undefined, []])('sends no CORS headers without allowed origins: %j', async (corsOrigins) => {
    const portal = await servePortal(corsOrigins && { corsOrigins });
    for (const [method, path, , , body] of routes) {
      const response = await portal.request(method, path, { headers: { origin }, ...(body && { body }) });
      expect([corsHeadersOf(response), response.headers.vary]).toEqual([{}, 'Authorization']);
    }
    const preflightResponse = await portal.request('OPTIONS', '/me/coverage', { headers: preflight('GET') });
    expect([preflightResponse.status, preflightResponse.headers['allow'], corsHeadersOf(preflightResponse)]).toEqual([
      204,
      'GET, HEAD',
      {},
    ]);
    expect(preflightResponse.headers.vary).toBe('Authorization');
  });
});

describe('preflight request from an allowed origin', () => {
  it.each(routes.map(([method, path]) => [method, path] as const))(
    'accepts a preflight request without a token and without calling a service: %s %s',
    async (method, path) => {
      const portal = await servePortal({ corsOrigins });
      const response = await portal.request('OPTIONS', path, { headers: preflight(method) });
      expect([response.status, response.text]).toEqual([204, '']);
      const {
        'access-control-allow-methods': methods,
        'access-control-allow-headers': headers,
        ...others
      } = corsHeadersOf(response);
      expect(others).toEqual({ 'access-control-allow-origin': origin, 'access-control-max-age': '600' });
      expect(listOf(methods)).toContain(method);
      expect(listOf(headers)).toEqual([
        'Authorization',
        'Content-Type',
        'DPoP',
        'Idempotency-Key',
        'If-Match',
        'If-Modified-Since',
        'If-None-Match',
        'If-Range',
        'Range',
        'traceparent',
        'tracestate',
        'X-Request-Id',
      ]);
      expect(listOf(response.headers.vary)).toContain('Origin');
      expect(portal.calls).toEqual([]);
    },
  );

  it('allows exactly the methods of the routes in a preflight response', async () => {
    const portal = await servePortal({ corsOrigins });
    const response = await portal.request('OPTIONS', '/me/claims', { headers: preflight('DELETE') });
    expect(listOf(response.headers['access-control-allow-methods']).toSorted()).toEqual(
      [...new Set(['HEAD', ...routes.map(([method]) => method)])].toSorted(),
    );
  });

  it('allows every request header of the OpenAPI document and the tracing headers', async () => {
    const portal = await servePortal({ corsOrigins });
    const response = await portal.request('OPTIONS', '/me/claims', { headers: preflight('POST') });
    const allowed = listOf(response.headers['access-control-allow-headers']).map((name) => name.toLowerCase());
    const named = JSON.stringify(openApiDocument()).matchAll(/"name":"([^"]+)","in":"header"/g);
    const names = Array.from(named, ([, name = '']) => name.toLowerCase());
    expect(names).toContain('if-none-match');
    expect(allowed).toEqual(expect.arrayContaining([...names, 'traceparent', 'tracestate']));
  });

  it('accepts a preflight request for a search', async () => {
    const { port } = await serveSearch({ corsOrigins });
    const response = await send(port, 'OPTIONS', '/api/search', { headers: preflight('POST') });
    expect([response.status, response.headers['access-control-allow-origin']]).toEqual([204, origin]);
  });
});

describe('origin that is not allowed', () => {
  const otherOrigins = [
    'null',
    '*',
    'https://portal.example.evil',
    'https://evil-portal.example',
    'https://evil.portal.example',
    'https://portal.example@evil.example',
    'https://portal.exampl',
    'https://portal_example',
    'https://PORTAL.example',
    'HTTPS://portal.example',
    'http://portal.example',
    'https://portal.example:443',
    'https://portal.example:8443',
    'https://portal.example.',
    'https://portal.example/',
    'https://portal.example https://evil.example',
    'https://portal.example, http://localhost:5173',
    'http://localhost',
    'http://localhost:5174',
    '//portal.example',
    'portal.example',
    'file://',
    'constructor',
    '',
  ];

  it.each(otherOrigins)('sends no CORS headers to an origin that is not allowed: %j', async (otherOrigin) => {
    const portal = await servePortal({ corsOrigins });
    const response = await portal.request('GET', '/me/coverage', { headers: { origin: otherOrigin } });
    expect([response.status, response.json]).toEqual([200, { plan: 'gold' }]);
    expect(corsHeadersOf(response)).toEqual({});
    expect(listOf(response.headers.vary)).toEqual(['Origin', 'Authorization']);
  });

  it.each(otherOrigins)('rejects a preflight request from an origin that is not allowed: %j', async (otherOrigin) => {
    const portal = await servePortal({ corsOrigins });
    const response = await portal.request('OPTIONS', '/me/coverage', { headers: preflight('GET', otherOrigin) });
    expect([response.status, response.headers['allow'], corsHeadersOf(response)]).toEqual([204, 'GET, HEAD', {}]);
    expect(listOf(response.headers.vary)).toContain('Origin');
    expect(portal.calls).toEqual([]);
  });

  it('does not allow an origin that is sent together with an allowed one', async () => {
    const portal = await servePortal({ corsOrigins });
    const response = await portal.request('GET', '/me/coverage', {
      headers: { origin: [origin, 'https://evil.example'] },
    });
    expect(corsHeadersOf(response)).toEqual({});
  });
});

describe('response to a page of an allowed origin', () => {
  it('lets only the requesting origin read a response', async () => {
    const portal = await servePortal({ corsOrigins });
    for (const requesting of corsOrigins)
      expectReadable(await portal.request('GET', '/me/coverage', { headers: { origin: requesting } }), requesting);
  });

  it('sends Vary for origin and member to every origin', async () => {
    const portal = await servePortal({ corsOrigins });
    for (const requesting of [...corsOrigins, 'https://evil.example', undefined])
      for (const [method, path, , , body] of routes) {
        const response = await portal.request(method, path, { headers: { origin: requesting }, ...(body && { body }) });
        expect(listOf(response.headers.vary)).toEqual(['Origin', 'Authorization']);
        expect(response.headers['cache-control']).toBe(privateHeaders['cache-control']);
      }
  });

  it('lets an allowed origin read a document or a part of it', async () => {
    const portal = await servePortal({ corsOrigins });
    for (const headers of [{ origin }, { origin, range: 'bytes=0-3' }, { origin, range: 'bytes=1000-' }])
      expectReadable(await portal.request('GET', '/me/documents/DOC-1', { headers }));
  });

  it.each<[number, Failure]>([
    [404, { kind: 'not-found', service: 'eligibility', code: 'not-found' }],
    [502, { kind: 'upstream', service: 'eligibility', reason: 'timeout' }],
    [503, { kind: 'overloaded', retryAfterSeconds: 3 }],
    [500, { kind: 'unexpected', cause: new Error('a bug') }],
  ])('lets an allowed origin read problem details: %i', async (status, failure) => {
    const portal = await servePortal({ corsOrigins });
    portal.fakes.eligibility.failWith(failure);
    const response = await portal.request('GET', '/me/coverage', { headers: { origin } });
    expect(response.status).toBe(status);
    expectReadable(response);
  });

  it.each([
    [400, 'GET', '/me/claims?color=red', {}],
    [401, 'GET', '/me/coverage', { authorization: undefined }],
    [401, 'GET', '/me/coverage', { authorization: 'Bearer nonsense' }],
    [404, 'GET', '/me/nothing', {}],
    [404, 'GET', '/nothing', {}],
    [405, 'DELETE', '/me/claims', {}],
    [415, 'POST', '/me/claims', { 'content-type': 'text/plain' }],
  ])(
    'lets an allowed origin read a response without a service call: %i for %s %s',
    async (status, method, path, headers) => {
      const portal = await servePortal({ corsOrigins });
      const response = await portal.request(method, path, { headers: { origin, ...headers } });
      expect(response.status).toBe(status);
      expectReadable(response);
      expect(portal.calls).toEqual([]);
    },
  );

  it('lets an allowed origin read a 500 after an exception', async () => {
    const portal = await servePortal({
      corsOrigins,
      ports: { eligibility: { coverage: throwing } },
    });
    const response = await portal.request('GET', '/me/coverage', { headers: { origin } });
    expect(response.status).toBe(500);
    expectReadable(response);
  });

  it.each(['application/json', 'text/event-stream'])('lets an allowed origin read a search as %s', async (accept) => {
    const { search, posted, clock } = await serveSearch({ corsOrigins });
    const pending = search(aSearch, { accept, origin });
    await posted(2);
    clock.advance(10_000);
    const response = await pending;
    expect([response.status, response.headers['content-type']]).toEqual([200, `${accept}; charset=utf-8`]);
    expectReadable(response);
    expect(listOf(response.headers.vary)).toEqual(['Origin', 'Accept']);
  });
});

describe('OPTIONS request that is not a preflight request', () => {
  it.each([origin, 'https://evil.example', undefined])(
    'returns the allowed methods without CORS headers for a plain OPTIONS request, from %s',
    async (requesting) => {
      const portal = await servePortal({ corsOrigins });
      const response = await portal.request('OPTIONS', '/me/claims', { headers: { origin: requesting } });
      expect([response.status, response.headers['allow'], response.text]).toEqual([204, 'GET, HEAD, POST', '']);
      expect(corsHeadersOf(response)).toEqual({});
      expect(portal.calls).toEqual([]);
    },
  );

  it('returns 404 for OPTIONS on a path without a route', async () => {
    const portal = await servePortal({ corsOrigins });
    const response = await portal.request('OPTIONS', '/me/nothing', { headers: { origin } });
    expect([response.status, response.json]).toMatchObject([404, { code: 'no-such-route' }]);
  });
});
