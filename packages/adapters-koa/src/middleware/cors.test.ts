import type { Failure } from '@portico/core';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../openapi/document.ts';
import { type Answer, privateHeaders, routes, send, servePortal } from '../server/portal.test.support.ts';
import { aSearch, serveSearch } from '../server/search.test.support.ts';

const origin = 'https://portal.example';
const corsOrigins = [origin, 'http://localhost:5173'];

const preflight = (method: string, from: string = origin) => ({
  origin: from,
  'access-control-request-method': method,
  'access-control-request-headers': 'authorization,content-type',
  authorization: undefined,
});

/** What an answer says of who may read it (CORS, Fetch Standard 3.3.3). */
const corsHeadersOf = ({ headers }: Pick<Answer, 'headers'>) =>
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

/** That the page may read the answer, and the headers it needs; nothing about cookies. */
const expectReadable = (answer: Pick<Answer, 'headers'>, by = origin) => {
  const { 'access-control-expose-headers': names, ...others } = corsHeadersOf(answer);
  expect(others).toEqual({ 'access-control-allow-origin': by });
  expect(listOf(names)).toEqual(exposed);
};

const throwing = (): never => {
  throw new Error('a bug');
};

describe('a server that knows no other origins', () => {
  it.each([undefined, []])('says nothing of them: %j', async (corsOrigins) => {
    const portal = await servePortal(corsOrigins && { corsOrigins });
    for (const [method, path, , , body] of routes) {
      const answer = await portal.ask(method, path, { headers: { origin }, ...(body && { body }) });
      expect([corsHeadersOf(answer), answer.headers.vary]).toEqual([{}, 'Authorization']);
    }
    const asked = await portal.ask('OPTIONS', '/me/coverage', { headers: preflight('GET') });
    expect([asked.status, asked.headers['allow'], corsHeadersOf(asked)]).toEqual([204, 'GET, HEAD', {}]);
    expect(asked.headers.vary).toBe('Authorization');
  });
});

describe('a preflight from an origin that is let in', () => {
  it.each(routes.map(([method, path]) => [method, path] as const))(
    'is answered without a token and without asking anybody: %s %s',
    async (method, path) => {
      const portal = await servePortal({ corsOrigins });
      const answer = await portal.ask('OPTIONS', path, { headers: preflight(method) });
      expect([answer.status, answer.text]).toEqual([204, '']);
      const {
        'access-control-allow-methods': methods,
        'access-control-allow-headers': headers,
        ...others
      } = corsHeadersOf(answer);
      expect(others).toEqual({ 'access-control-allow-origin': origin, 'access-control-max-age': '600' });
      expect(listOf(methods)).toContain(method);
      expect(listOf(headers)).toEqual([
        'Authorization',
        'Content-Type',
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
      expect(listOf(answer.headers.vary)).toContain('Origin');
      expect(portal.asked).toEqual([]);
    },
  );

  it('allows what some route takes, and nothing else', async () => {
    const portal = await servePortal({ corsOrigins });
    const answer = await portal.ask('OPTIONS', '/me/claims', { headers: preflight('DELETE') });
    expect(listOf(answer.headers['access-control-allow-methods']).toSorted()).toEqual(
      [...new Set(['HEAD', ...routes.map(([method]) => method)])].toSorted(),
    );
  });

  it('allows every request header that the OpenAPI document names, and those of a trace', async () => {
    const portal = await servePortal({ corsOrigins });
    const answer = await portal.ask('OPTIONS', '/me/claims', { headers: preflight('POST') });
    const allowed = listOf(answer.headers['access-control-allow-headers']).map((name) => name.toLowerCase());
    const named = JSON.stringify(openApiDocument()).matchAll(/"name":"([^"]+)","in":"header"/g);
    const names = Array.from(named, ([, name = '']) => name.toLowerCase());
    expect(names).toContain('if-none-match');
    expect(allowed).toEqual(expect.arrayContaining([...names, 'traceparent', 'tracestate']));
  });

  it('is answered for a search', async () => {
    const { port } = await serveSearch({ corsOrigins });
    const answer = await send(port, 'OPTIONS', '/api/search', { headers: preflight('POST') });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([204, origin]);
  });
});

describe('an origin that is not on the list', () => {
  const strangers = [
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

  it.each(strangers)('may read nothing: %j', async (stranger) => {
    const portal = await servePortal({ corsOrigins });
    const answer = await portal.ask('GET', '/me/coverage', { headers: { origin: stranger } });
    expect([answer.status, answer.json]).toEqual([200, { plan: 'gold' }]);
    expect(corsHeadersOf(answer)).toEqual({});
    expect(listOf(answer.headers.vary)).toEqual(['Origin', 'Authorization']);
  });

  it.each(strangers)('is told what anybody is told about a route, and no more: %j', async (stranger) => {
    const portal = await servePortal({ corsOrigins });
    const answer = await portal.ask('OPTIONS', '/me/coverage', { headers: preflight('GET', stranger) });
    expect([answer.status, answer.headers['allow'], corsHeadersOf(answer)]).toEqual([204, 'GET, HEAD', {}]);
    expect(listOf(answer.headers.vary)).toContain('Origin');
    expect(portal.asked).toEqual([]);
  });

  it('is not let in beside one that is', async () => {
    const portal = await servePortal({ corsOrigins });
    const answer = await portal.ask('GET', '/me/coverage', { headers: { origin: [origin, 'https://evil.example'] } });
    expect(answer.headers['access-control-allow-origin']).not.toBe('https://evil.example');
  });
});

describe('an answer to a page of another origin', () => {
  it('may be read by the one that asked, and by no other', async () => {
    const portal = await servePortal({ corsOrigins });
    for (const asking of corsOrigins)
      expectReadable(await portal.ask('GET', '/me/coverage', { headers: { origin: asking } }), asking);
  });

  it('is kept apart by origin and by member, whoever asked', async () => {
    const portal = await servePortal({ corsOrigins });
    for (const asking of [...corsOrigins, 'https://evil.example', undefined])
      for (const [method, path, , , body] of routes) {
        const answer = await portal.ask(method, path, { headers: { origin: asking }, ...(body && { body }) });
        expect(listOf(answer.headers.vary)).toEqual(['Origin', 'Authorization']);
        expect(answer.headers['cache-control']).toBe(privateHeaders['cache-control']);
      }
  });

  it('may be read when it is a document, whole or in part', async () => {
    const portal = await servePortal({ corsOrigins });
    for (const headers of [{ origin }, { origin, range: 'bytes=0-3' }, { origin, range: 'bytes=1000-' }])
      expectReadable(await portal.ask('GET', '/me/documents/DOC-1', { headers }));
  });

  it.each<[number, Failure]>([
    [404, { kind: 'not-found', service: 'eligibility', code: 'not-found' }],
    [502, { kind: 'upstream', service: 'eligibility', reason: 'timeout' }],
    [503, { kind: 'overloaded', retryAfterSeconds: 3 }],
    [500, { kind: 'unexpected', cause: new Error('a bug') }],
  ])('may be read when it is a problem: %i', async (status, failure) => {
    const portal = await servePortal({ corsOrigins });
    portal.fakes.eligibility.failWith(failure);
    const answer = await portal.ask('GET', '/me/coverage', { headers: { origin } });
    expect(answer.status).toBe(status);
    expectReadable(answer);
  });

  it.each([
    [400, 'GET', '/me/claims?color=red', {}],
    [401, 'GET', '/me/coverage', { authorization: undefined }],
    [401, 'GET', '/me/coverage', { authorization: 'Bearer nonsense' }],
    [404, 'GET', '/me/nothing', {}],
    [404, 'GET', '/nothing', {}],
    [405, 'DELETE', '/me/claims', {}],
    [415, 'POST', '/me/claims', { 'content-type': 'text/plain' }],
  ])('may be read when nobody downstream was asked: %i for %s %s', async (status, method, path, headers) => {
    const portal = await servePortal({ corsOrigins });
    const answer = await portal.ask(method, path, { headers: { origin, ...headers } });
    expect(answer.status).toBe(status);
    expectReadable(answer);
    expect(portal.asked).toEqual([]);
  });

  it('may be read when an exception made it', async () => {
    const portal = await servePortal({
      corsOrigins,
      ports: { eligibility: { coverage: throwing } },
    });
    const answer = await portal.ask('GET', '/me/coverage', { headers: { origin } });
    expect(answer.status).toBe(500);
    expectReadable(answer);
  });

  it.each(['application/json', 'text/event-stream'])('may be read when it is a search as %s', async (accept) => {
    const { search, posted, clock } = await serveSearch({ corsOrigins });
    const answering = search(aSearch, { accept, origin });
    await posted(2);
    clock.advance(10_000);
    const answer = await answering;
    expect([answer.status, answer.headers['content-type']]).toEqual([200, `${accept}; charset=utf-8`]);
    expectReadable(answer);
    expect(listOf(answer.headers.vary)).toEqual(['Origin', 'Accept']);
  });
});

describe('a question for options that is no preflight', () => {
  it.each([origin, 'https://evil.example', undefined])('is answered as before, from %s', async (asking) => {
    const portal = await servePortal({ corsOrigins });
    const answer = await portal.ask('OPTIONS', '/me/claims', { headers: { origin: asking } });
    expect([answer.status, answer.headers['allow'], answer.text]).toEqual([204, 'GET, HEAD, POST', '']);
    expect(corsHeadersOf(answer)).toEqual({});
    expect(portal.asked).toEqual([]);
  });

  it('finds no route where there is none', async () => {
    const portal = await servePortal({ corsOrigins });
    const answer = await portal.ask('OPTIONS', '/me/nothing', { headers: { origin } });
    expect([answer.status, answer.json]).toMatchObject([404, { code: 'no-such-route' }]);
  });
});
