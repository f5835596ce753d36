import { once } from 'node:events';
import { createUseCases, declareService, type DocumentResponse, ownService, upstream } from '@portico/core';
import { fakePorts, fakeRateLimiter, fakeService, somePdf } from '@portico/core/testing';
import Koa from 'koa';
import { okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import type { RequestReport } from '../request/request-report.ts';
import { mismatches } from '../openapi/document.test.support.ts';
import { openApiDocument } from '../mounting/openapi-document.ts';
import {
  listening,
  openSocket,
  pdf,
  privateHeaders,
  problemIn,
  rawGet,
  readToEnd,
  send,
} from '../server/portal.test.support.ts';
import { createServer, type ServerSettings } from '../server/server.ts';
import { memberRoutes } from '../mounting/member-routes.ts';

const base = '/members/{partyLocator}/authorizations';
const authorizations = declareService('authorizations', {
  list: { route: 'GET /me/authorizations', path: base, query: ['status', 'page'], summary: 'List authorizations' },
  get: { route: 'GET /me/authorizations/{locator}', path: `${base}/{locator}` as const },
  submit: { route: 'POST /me/authorizations', path: base },
  change: { route: 'PATCH /me/authorizations/{locator}', path: `${base}/{locator}` as const },
  remove: { route: 'DELETE /me/authorizations/{locator}', path: `${base}/{locator}` as const },
  letter: {
    route: 'GET /me/authorizations/{locator}/letter',
    path: `${base}/{locator}/letter` as const,
    type: 'application/pdf',
  },
  card: { route: 'GET /me/card', path: '/members/{partyLocator}/card', type: 'image/svg+xml' },
});

const ownDocument = openApiDocument({ ownServices: [authorizations] });
const letter = '/me/authorizations/AUTH-1/letter';

const records = {
  'PTY-1': {
    '/me/authorizations': { authorizations: [{ locator: 'AUTH-1' }] },
    '/me/authorizations/AUTH-1': { locator: 'AUTH-1', status: 'open' },
    [letter]: somePdf,
    '/me/authorizations/urn:auth:2/letter': somePdf,
    '/me/card': somePdf,
  },
  'PTY-2': { '/me/authorizations': { authorizations: [] } },
};

/** Serves the built-in services and the declared one with fakes. Each response is compared with the OpenAPI document. */
const serving = async ({
  overrides = {},
  ...settings
}: ServerSettings & { readonly overrides?: Partial<ReturnType<typeof fakeService<typeof authorizations>>> } = {}) => {
  const fakes = fakePorts();
  const fake = fakeService(authorizations, records);
  const reports: RequestReport[] = [];
  const server = createServer(
    createUseCases({ ...fakes, services: [ownService(authorizations, { ...fake, ...overrides })] }),
    { onResponse: (report) => void reports.push(report), ...settings },
  );
  const port = await listening(server, { isForeign: () => true });
  const tokenOf = (sub: string) => fakes.identity.issue({ sub });
  const request = async (
    method: string,
    path: string,
    { sub = 'PTY-1', body, headers = {} }: { sub?: string; body?: string; headers?: Record<string, string> } = {},
  ) => {
    const response = await send(port, method, path, {
      headers: {
        authorization: `Bearer ${tokenOf(sub)}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    expect(mismatches(method, path, response, ownDocument)).toEqual([]);
    return response;
  };
  return { port, fake, reports, request, token: tokenOf('PTY-1') };
};

describe('the routes of a declared service', () => {
  it('return JSON of the member in the token, with the headers of every member route', async () => {
    const { request } = await serving();
    const response = await request('GET', '/me/authorizations?status=open');
    expect([response.status, response.json]).toEqual([200, records['PTY-1']['/me/authorizations']]);
    expect(response.headers).toMatchObject({ ...privateHeaders, 'content-type': 'application/json; charset=utf-8' });
    expect((await request('GET', '/me/authorizations', { sub: 'PTY-2' })).json).toEqual({ authorizations: [] });
  });

  it('hide what belongs to another member', async () => {
    const { request } = await serving();
    expect((await request('GET', '/me/authorizations/AUTH-1')).status).toBe(200);
    for (const path of ['/me/authorizations/AUTH-1', letter]) {
      const problem = problemIn(await request('GET', path, { sub: 'PTY-2' }));
      expect(problem).toMatchObject({ status: 404, code: 'not-found', service: 'authorizations' });
    }
  });

  it('require a token', async () => {
    const { request, fake } = await serving();
    for (const path of ['/me/authorizations', letter])
      expect((await request('GET', path, { headers: { authorization: '' } })).status).toBe(401);
    expect(fake.calls).toEqual([]);
  });

  it('relay the declared query parameters byte for byte and reject others by name', async () => {
    const { request, fake } = await serving();
    await request('GET', '/me/authorizations?status=a%20b&page=2');
    expect(fake.calls[0]?.request.query).toEqual([
      ['status', 'a b', 'a%20b'],
      ['page', '2', '2'],
    ]);
    const refused = await request('GET', '/me/authorizations?partyLocator=PTY-2');
    expect(problemIn(refused)).toMatchObject({ status: 400, errors: [{ path: '/partyLocator' }] });
    expect((await request('GET', '/me/authorizations/AUTH-1?status=open')).status).toBe(400);
    expect(fake.calls).toHaveLength(1);
  });

  it.each(['%2e%2e', 'a%2Fb', '..', 'x'.repeat(129), '%00'])('reject the path parameter %s', async (locator) => {
    const { request, fake } = await serving();
    const refused = await request('GET', `/me/authorizations/${locator}`);
    expect(problemIn(refused)).toMatchObject({ status: 400, errors: [{ path: '/locator' }] });
    expect(fake.calls).toEqual([]);
  });

  it('accept a JSON object up to the limit, and relay it without fields that name a member', async () => {
    const { request, fake } = await serving({ maxRequestBytes: 60 });
    const body = '{"partyLocator":"PTY-2","amount":1.10}';
    const headers = { 'idempotency-key': 'key-1' };
    const created = await request('POST', '/me/authorizations', { body, headers });
    expect([created.status, created.headers['location']]).toEqual([201, undefined]);
    expect(fake.calls[0]?.request).toMatchObject({ body: { text: '{"amount":1.10}' }, idempotencyKey: 'key-1' });
    expect((await request('POST', '/me/authorizations', { body: '[]' })).status).toBe(400);
    expect((await request('POST', '/me/authorizations', { body: `{"a":"${'x'.repeat(60)}"}` })).status).toBe(413);
    const text = { 'content-type': 'text/plain' };
    expect((await request('POST', '/me/authorizations', { body, headers: text })).status).toBe(415);
    expect(fake.calls).toHaveLength(1);
  });

  it('accept a merge patch for PATCH', async () => {
    const { request, fake } = await serving();
    const patch = { body: '{"a":1}', headers: { 'content-type': 'application/merge-patch+json' } };
    expect((await request('PATCH', '/me/authorizations/AUTH-1', patch)).status).toBe(200);
    expect(fake.calls[0]?.request).toMatchObject({ mediaType: 'application/merge-patch+json' });
    expect((await request('POST', '/me/authorizations', patch)).status).toBe(415);
  });

  it('delete without a body and return 204', async () => {
    const { request } = await serving();
    const deleted = await request('DELETE', '/me/authorizations/AUTH-1');
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await request('GET', '/me/authorizations/AUTH-1')).status).toBe(404);
  });

  it.each([200, 201, 202, 204] as const)('keep the status %i', async (status) => {
    const { request } = await serving({
      overrides: { submit: () => okAsync({ text: status === 204 ? '' : '{"a":1}', value: {}, status }) },
    });
    const response = await request('POST', '/me/authorizations', { body: '{"a":1}' });
    expect([response.status, response.text]).toEqual([status, status === 204 ? '' : '{"a":1}']);
  });

  it('send the entity tag of a resource that can be changed, and guard the change with it', async () => {
    const { request } = await serving();
    const { etag } = (await request('GET', '/me/authorizations/AUTH-1')).headers;
    const change = () =>
      request('PATCH', '/me/authorizations/AUTH-1', { body: '{"a":1}', headers: { 'if-match': String(etag) } });
    expect((await change()).status).toBe(200);
    expect(problemIn(await change())).toMatchObject({ code: 'precondition-failed', service: 'authorizations' });
    expect((await request('GET', '/me/authorizations')).headers).not.toHaveProperty('etag');
  });

  it('return 405 with Allow for other methods, and 404 for other paths', async () => {
    const { request } = await serving();
    for (const [method, path, allow] of [
      ['PUT', '/me/authorizations', 'GET, HEAD, POST'],
      ['POST', '/me/authorizations/AUTH-1', 'DELETE, GET, HEAD, PATCH'],
      ['DELETE', letter, 'GET, HEAD'],
    ] as const) {
      const response = await request(method, path);
      expect([response.status, response.headers['allow']]).toEqual([405, allow]);
    }
    expect((await request('GET', '/me/authorizations/AUTH-1/other')).status).toBe(404);
  });

  it('report a failure of the service with its name', async () => {
    const { request, fake, reports } = await serving();
    fake.failWith(upstream('authorizations', 'timeout'));
    const problem = problemIn(await request('GET', '/me/authorizations'));
    expect(problem).toMatchObject({ status: 502, service: 'authorizations', reason: 'timeout' });
    await expect
      .poll(() => reports)
      .toMatchObject([{ route: '/me/authorizations', problem: { service: 'authorizations', reason: 'timeout' } }]);
  });

  it('are reported by their templates, and counted by both rate limits', async () => {
    const { request, reports } = await serving();
    await request('GET', '/me/authorizations/AUTH-1');
    await request('DELETE', '/me/authorizations/AUTH-1');
    await expect
      .poll(() => reports.map(({ method, route }) => `${method} ${route}`))
      .toEqual(['GET /me/authorizations/:locator', 'DELETE /me/authorizations/:locator']);
    const none = fakeRateLimiter({ requests: 0 });
    for (const settings of [{ memberLimiter: none }, { addressLimiter: none }]) {
      const limited = await serving(settings);
      expect((await limited.request('GET', '/me/authorizations')).status).toBe(429);
    }
  });

  it('allow DELETE to pages of other origins only when a service has it', async () => {
    const corsOrigins = ['https://portal.example'];
    const preflight = { origin: corsOrigins[0]!, 'access-control-request-method': 'DELETE' };
    const { request } = await serving({ corsOrigins });
    const allowed = await request('OPTIONS', '/me/authorizations/AUTH-1', { headers: preflight });
    expect(allowed.headers['access-control-allow-methods']).toBe('GET,HEAD,POST,PATCH,PUT,DELETE');
    const builtIn = await listening(createServer(createUseCases(fakePorts()), { corsOrigins }));
    const refused = await send(builtIn, 'OPTIONS', '/me/consent', { headers: preflight });
    expect(refused.headers['access-control-allow-methods']).toBe('GET,HEAD,POST,PATCH,PUT');
  });

  it('are served in another Koa app', async () => {
    const fakes = fakePorts();
    const use = createUseCases({
      ...fakes,
      services: [ownService(authorizations, fakeService(authorizations, records))],
    });
    const app = new Koa().use(memberRoutes(use)).listen(0, '127.0.0.1');
    const port = await listening(app, { isForeign: () => true });
    const headers = { authorization: `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}` };
    expect((await send(port, 'GET', '/me/authorizations/AUTH-1', { headers })).json).toMatchObject({ status: 'open' });
  });
});

describe('a streamed response of a declared service', () => {
  it('has the headers of a document, and a file name from its path', async () => {
    const { request } = await serving();
    const response = await request('GET', letter);
    expect([response.status, response.body]).toEqual([200, pdf]);
    expect(response.headers).toMatchObject({
      ...privateHeaders,
      'content-type': 'application/pdf',
      'content-length': String(pdf.length),
      'content-disposition': 'inline; filename="AUTH-1-letter.pdf"',
      'accept-ranges': 'bytes',
    });
    const other = await request('GET', '/me/authorizations/urn:auth:2/letter');
    expect(other.headers['content-disposition']).toBe('inline; filename="urn-auth-2-letter.pdf"');
  });

  it('is saved as a file and cannot run scripts when it is not a PDF or an image', async () => {
    const { request } = await serving();
    const { headers } = await request('GET', '/me/card');
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-disposition': 'attachment; filename="card.xml"',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
  });

  it('supports ranges and conditions', async () => {
    const { request } = await serving();
    const part = await request('GET', letter, { headers: { range: 'bytes=5-14' } });
    expect([part.status, part.body, part.headers['content-range']]).toEqual([
      206,
      pdf.subarray(5, 15),
      `bytes 5-14/${pdf.length}`,
    ]);
    expect((await request('GET', letter, { headers: { range: 'bytes=1000-' } })).status).toBe(416);
    const { etag = '' } = part.headers;
    expect((await request('GET', letter, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const head = await request('HEAD', letter, { headers: { range: 'bytes=0-1' } });
    expect([head.status, head.headers['content-length']]).toEqual([200, String(pdf.length)]);
  });

  it.each([
    ['shorter', 20],
    ['longer', 60],
  ])('closes the connection when the content is %s than announced', async (problem, length) => {
    const content = async function* () {
      yield Buffer.alloc(length / 2, 'x');
      yield Buffer.alloc(length / 2, 'x');
    };
    const errors: unknown[] = [];
    const { port, token, reports } = await serving({
      onError: (error) => void errors.push(error),
      overrides: {
        letter: () =>
          okAsync({
            outcome: 'whole',
            headers: { contentLength: '40' },
            content: content(),
          } satisfies DocumentResponse),
      },
    });
    const socket = await openSocket(port);
    socket.write(rawGet(letter, token));
    const [, body = ''] = (await readToEnd(socket)).split('\r\n\r\n');
    expect(body.length).toBeLessThanOrEqual(40);
    expect(errors).toMatchObject([{ message: `The content is ${problem} than its Content-Length.` }]);
    await expect.poll(() => reports[0]?.outcome).toBe('cut');
  });

  it('ends at the source when the client disconnects', async () => {
    const ended = Promise.withResolvers<void>();
    const content = async function* () {
      try {
        for (;;) yield Buffer.alloc(65_536);
      } finally {
        ended.resolve();
      }
    };
    const { port, token } = await serving({
      overrides: {
        letter: () => okAsync({ outcome: 'whole', headers: {}, content: content() } satisfies DocumentResponse),
      },
    });
    const socket = await openSocket(port);
    socket.write(rawGet(letter, token));
    await once(socket, 'data');
    socket.destroy();
    await ended.promise;
  });
});
