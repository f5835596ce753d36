import { createServer as createHttpServer } from 'node:http';
import {
  createUseCases,
  type Json,
  noContent,
  problemOf,
  type ServiceResponse,
  unauthenticated,
  upstream,
  withBytes,
} from '@portico/core';
import { fakePorts } from '@portico/core/testing';
import Koa from 'koa';
import { okAsync, type ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { memberRoutes } from './member-routes.ts';
import {
  openSocket,
  listening,
  pdf,
  privateHeaders,
  problemIn,
  readToEnd,
  routes,
  send,
  servePortal,
} from '../server/portal.test.support.ts';

const jsonRoutes = routes.filter(([, path]) => path !== '/me/documents/DOC-1');

/** A portal whose downstream services all return the same JSON. */
const portalReturning = (json: Json) => {
  const always = (): ResultAsync<Json, never> => okAsync(json);
  return servePortal({
    ports: {
      eligibility: { coverage: always, accumulators: always },
      claims: { list: always, get: always, submit: () => okAsync({ outcome: 'created', claim: json }) },
      documents: { list: always },
      policy: { profile: always, patchProfile: always },
      notifications: {
        preferences: always,
        ownPreferences: always,
        replacePreferences: always,
        list: always,
        log: always,
      },
      consent: { get: always, replace: always },
    },
  });
};

describe.each(jsonRoutes)('%s %s', (method, path, service, operation, body?: string) => {
  const options = body === undefined ? {} : { body };
  const success = method === 'POST' ? 201 : 200;

  it('sends the bytes of a JSON body if they are known, and does not decode them', async () => {
    const bytes = new TextEncoder().encode('-{"name":"漢"}-').subarray(1, -1);
    const undecoded: Json = {
      value: {},
      get text(): string {
        throw new Error('The text was read.');
      },
    };
    const portal = await portalReturning(withBytes(undecoded, bytes));
    const response = await portal.request(method, path, options);
    expect([response.status, response.text]).toEqual([success, '{"name":"漢"}']);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': '14',
    });
  });

  it(`relays the JSON of the ${service} service byte for byte`, async () => {
    const text = '{ "z":1.0,\n"a":12345678901234567890.1234567890,"é":"\\u00e9","2":0,"1":[ ] } ';
    const portal = await portalReturning({ text, value: JSON.parse(text) });
    const response = await portal.request(method, path, options);
    expect(response.status).toBe(success);
    expect(response.headers).toMatchObject({
      ...privateHeaders,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
    });
    expect(response.body).toEqual(Buffer.from(text));
    expect(portal.calls).toEqual([`${service}.${operation} PTY-1`]);
  });

  it(`returns ${success} if the ${service} service returns 202`, async () => {
    const accepted: ServiceResponse = { text: '{"a":1}', value: { a: 1 }, status: 202 };
    const response = await (await portalReturning(accepted)).request(method, path, options);
    expect([response.status, response.text]).toEqual([success, accepted.text]);
  });

  it('returns 204 if the service returns no content', async () => {
    const response = await (await portalReturning(noContent)).request(method, path, options);
    expect(response.status).toBe(204);
    expect(response.headers).toMatchObject(privateHeaders);
    expect(response.headers).not.toHaveProperty('content-type');
    expect(response.text).toBe('');
  });

  it('relays JSON that is not an object', async () => {
    const response = await (await portalReturning({ text: 'null', value: null })).request(method, path, options);
    expect([response.status, response.headers['content-type'], response.text]).toEqual([
      success,
      'application/json; charset=utf-8',
      'null',
    ]);
  });
});

describe.each(routes)('%s %s', (method, path, service, operation, body?: string) => {
  const options = body === undefined ? {} : { body };

  it('returns 401 without a token and calls no service', async () => {
    const portal = await servePortal();
    const response = await portal.request(method, path, { ...options, headers: { authorization: undefined } });
    expect(problemIn(response)).toEqual({
      type: 'urn:portico:problem:unauthenticated',
      title: 'A valid access token is required',
      status: 401,
      detail: problemOf(unauthenticated('missing')).detail,
      code: 'unauthenticated',
    });
    expect(response.headers['www-authenticate']).toBe('Bearer realm="portico"');
    expect(portal.calls).toEqual([]);
  });

  it('returns 401 for an invalid token', async () => {
    const portal = await servePortal();
    const response = await portal.request(method, path, {
      ...options,
      headers: { authorization: 'Bearer aaaa.bbbb.cccc' },
    });
    expect(problemIn(response)).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(response.headers['www-authenticate']).toBe('Bearer realm="portico", error="invalid_token"');
    expect(portal.calls).toEqual([]);
  });

  it('returns 502 if the service fails', async () => {
    const portal = await servePortal();
    portal.fakes[service].failWith({ kind: 'upstream', service, reason: 'timeout' });
    expect(problemIn(await portal.request(method, path, options))).toEqual({
      type: 'urn:portico:problem:upstream-failure',
      title: 'A downstream service failed',
      status: 502,
      detail: problemOf(upstream(service, 'timeout')).detail,
      code: 'upstream-failure',
      service,
      reason: 'timeout',
    });
  });

  it('returns 404 if the service does not find the resource', async () => {
    const portal = await servePortal();
    portal.fakes[service].failWith({ kind: 'not-found', service, code: 'not-found' });
    expect(problemIn(await portal.request(method, path, options))).toMatchObject({
      status: 404,
      code: path === '/me/preferences' ? 'preferences-not-set' : 'not-found',
      service,
    });
  });

  it('returns 500 without details for an exception', async () => {
    const bug = new Error(`PTY-1 at https://${service}.internal with a secret`);
    const throws = () => {
      throw bug;
    };
    const portal = await servePortal({ ports: { [service]: { [operation]: throws } } });
    expect(problemIn(await portal.request(method, path, options))).toEqual({
      type: 'urn:portico:problem:internal',
      title: 'Internal error',
      status: 500,
      detail: problemOf({ kind: 'unexpected', cause: bug }).detail,
      code: 'internal',
    });
    expect(portal.errors).toEqual([bug]);
  });

  it('calls the service for the member of the token, even if the request names another member', async () => {
    const portal = await servePortal();
    const separator = ['list', 'log'].includes(operation) ? '?limit=1' : '?partyLocator=PTY-2&access_token=x';
    const { status } = await portal.request(method, path + separator, {
      ...options,
      headers: { 'x-party-locator': 'PTY-2', partylocator: 'PTY-2', cookie: 'partyLocator=PTY-2' },
    });
    expect(status).toBeLessThan(300);
    expect(portal.calls).toEqual([`${service}.${operation} PTY-1`]);
  });
});

describe.each(routes.filter(([method]) => method === 'GET'))(
  'HEAD for the route %s %s',
  (method, path, service, operation, _body?: string) => {
    it('returns the headers of GET without a body for HEAD', async () => {
      const portal = await servePortal();
      const get = await portal.request(method, path);
      const head = await portal.request('HEAD', path);
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['content-type', 'content-length', 'cache-control', 'vary', 'x-content-type-options'])
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
      expect(portal.calls).toEqual(Array(2).fill(`${service}.${operation} PTY-1`));
    });
  },
);

describe('/me/claims', () => {
  it('returns 405 with Allow as problem details for DELETE', async () => {
    const portal = await servePortal();
    const response = await portal.request('DELETE', '/me/claims');
    expect(problemIn(response)).toEqual({
      type: 'urn:portico:problem:method-not-allowed',
      title: 'Method not allowed',
      status: 405,
      detail: 'This route supports only GET, HEAD, POST.',
      code: 'method-not-allowed',
    });
    expect(response.headers['allow']).toBe('GET, HEAD, POST');
    expect(portal.calls).toEqual([]);
  });

  it('returns the allowed methods for OPTIONS', async () => {
    const portal = await servePortal();
    const response = await portal.request('OPTIONS', '/me/claims');
    expect([response.status, response.headers['allow'], response.text]).toEqual([204, 'GET, HEAD, POST', '']);
    expect(response.headers).toMatchObject(privateHeaders);
    expect(portal.calls).toEqual([]);
  });
});

describe('paths under /me', () => {
  it.each([
    '/me/',
    '/me/nothing',
    '/me/coverage/',
    '/me/claims/',
    '/me//claims',
    '/me/Coverage',
    '/me/COVERAGE',
    '/me/claims/CLM-1/',
    '/me/claims/CLM-1/lines',
    '/me/claims/../coverage',
    '/me/./coverage',
    '/me/%63overage',
    '/me/coverage%2F',
    '/me/coverage;x=1',
    '/me/search',
  ])('returns 404 for a path under /me without a route: %s', async (path) => {
    const portal = await servePortal();
    for (const method of ['GET', 'POST', 'OPTIONS'])
      expect(problemIn(await portal.request(method, path))).toEqual({
        type: 'urn:portico:problem:no-such-route',
        title: 'No such route',
        status: 404,
        detail: 'No route matches the path.',
        code: 'no-such-route',
      });
    expect(portal.calls).toEqual([]);
  });

  it.each(['/', '/ME/coverage', '/meow', '/me.json', '//me/coverage', '/health', '/../me/coverage'])(
    'does not treat %s as a path under /me',
    async (path) => {
      const portal = await servePortal();
      const response = await portal.request('GET', path);
      expect(response.json).toMatchObject({ status: 404, code: 'no-such-route' });
      expect(response.headers).not.toHaveProperty('cache-control');
      expect(portal.calls).toEqual([]);
    },
  );

  it.each([
    '..',
    '%2e%2e',
    '%2E%2e',
    '.%2e',
    '%2F',
    '..%2f..%2fparties',
    'CLM%2F1',
    'CLM%5C1',
    '%',
    '%zz',
    '%C0%AE',
    '%00',
    'CLM%00',
    'CLM%201',
    'CLM%0D%0A',
    'CLM..1',
    '-CLM',
    '%252e%252e',
    'CLM;1',
    'a|b',
    'x'.repeat(129),
  ])('rejects the locator %s, which would change the downstream path', async (locator) => {
    const portal = await servePortal();
    for (const noun of ['claims', 'documents'])
      expect(problemIn(await portal.request('GET', `/me/${noun}/${locator}`))).toEqual({
        type: 'urn:portico:problem:invalid-request',
        title: 'The request is not valid',
        status: 400,
        detail: expect.any(String) as string,
        code: 'invalid-request',
        errors: [{ path: '/locator', message: expect.stringContaining('1 to 128') as string }],
      });
    expect(portal.calls).toEqual([]);
  });

  it('accepts a percent-encoded locator', async () => {
    const portal = await servePortal();
    expect((await portal.request('GET', '/me/claims/%43LM%2D1')).json).toMatchObject({ locator: 'CLM-1' });
  });

  it('accepts a request target in absolute form with any host', async () => {
    const portal = await servePortal();
    const socket = await openSocket(portal.port);
    socket.write(
      `GET http://elsewhere.example/me/coverage HTTP/1.1\r\nHost: elsewhere.example\r\nAuthorization: Bearer ${portal.token}\r\nConnection: close\r\n\r\n`,
    );
    const response = await readToEnd(socket);
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(response.endsWith('\r\n\r\n{"plan":"gold"}')).toBe(true);
  });

  // Koa reads another path from them than other programs, such as one that limits requests to it.
  it.each([
    'http://a:x/me/coverage',
    'javascript://a/me/coverage',
    'ftp://a/me/coverage',
    String.raw`http://a/me\coverage`,
  ])('refuses a request target in absolute form that is not an HTTP URL: %s', async (target) => {
    const portal = await servePortal();
    const socket = await openSocket(portal.port);
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${portal.token}\r\nConnection: close\r\n\r\n`,
    );
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('lists', () => {
  it.each(['/me/claims', '/me/documents', '/me/notifications', '/me/notifications/log'])(
    'rejects unknown query parameters of a list by name: %s',
    async (path) => {
      const portal = await servePortal();
      const response = await portal.request('GET', `${path}?limit=1&partyLocator=PTY-2&a%2Fb=1&partyLocator=`);
      expect(problemIn(response)).toMatchObject({
        status: 400,
        code: 'invalid-request',
        detail: expect.stringContaining('partyLocator, a/b') as string,
        errors: [{ path: '/partyLocator' }, { path: '/a~1b' }],
      });
      expect(portal.calls).toEqual([]);
    },
  );

  it('relays query parameters of a list in order, decoded once and as written', async () => {
    let relayed: unknown;
    const list = (_: unknown, query: unknown) => {
      relayed = query;
      return okAsync({ text: '[]', value: [] });
    };
    const portal = await servePortal({ ports: { claims: { list } } });
    await portal.request('GET', '/me/claims?to=2026-01-01&status=a%20b%2526&status=c+d&sort=&p%61ge=1&limit');
    expect(relayed).toEqual([
      ['to', '2026-01-01', '2026-01-01'],
      ['status', 'a b%26', 'a%20b%2526'],
      ['status', 'c d', 'c+d'],
      ['sort', '', ''],
      ['page', '1', '1'],
      ['limit', '', ''],
    ]);
  });

  it.each(['%ff%fe', '%zz'])('rejects a query parameter that is not UTF-8 by name: %s', async (value) => {
    const portal = await servePortal();
    const response = await portal.request('GET', `/me/claims?page=1&cursor=${value}`);
    expect(problemIn(response)).toMatchObject({ status: 400, code: 'invalid-request', errors: [{ path: '/cursor' }] });
    expect(portal.calls).toEqual([]);
  });
});

const throwing = () => {
  throw new Error('a bug');
};

/** Serves a foreign Koa app with the member routes mounted in it. */
const serveForeignApp = async ({
  requestId,
  prefix = '',
}: { readonly requestId?: string; readonly prefix?: string } = {}) => {
  const fakes = fakePorts();
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx, next) => {
    ctx.set('X-Foreign', 'yes');
    if (requestId !== undefined) ctx.state['requestId'] = requestId;
    // As koa-mount does.
    ctx.path = ctx.path.slice(prefix.length);
    await next();
  });
  app.use(memberRoutes({ ...createUseCases(fakes), getAccumulators: throwing }, { maxRequestBytes: 10 }));
  app.use((ctx) => {
    ctx.body = `foreign: ${ctx.path}`;
  });
  const port = await listening(createHttpServer(app.callback()), {
    isForeign: ({ text }) => prefix !== '' || text.startsWith('foreign: '),
    headers: ['x-foreign'],
  });
  return { port, headers: { authorization: `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}` } };
};

describe('member routes in another Koa app', () => {
  it.for([
    ['/api', '/api'],
    ['/', ''],
    ['//host', '/host'],
    ['/\\host', '/host'],
  ] as const)('names the place of a created claim below the prefix %s of the app', async ([prefix, place]) => {
    const { port, headers } = await serveForeignApp({ prefix });
    const type = { 'content-type': 'application/json' };
    const path = `${prefix}/me/claims?`;
    const created = await send(port, 'POST', path, { headers: { ...headers, ...type }, body: '{"a":1}' });
    expect([created.status, created.headers['location']]).toEqual([201, `${place}/me/claims/CLM-NEW-1`]);
  });

  it('responds with request ids, cache headers and problem details in another Koa app', async () => {
    const { port, headers } = await serveForeignApp();
    const coverage = await send(port, 'GET', '/me/coverage', { headers });
    expect([coverage.status, coverage.json, coverage.headers['x-foreign']]).toEqual([200, { plan: 'gold' }, 'yes']);
    expect(coverage.headers).toMatchObject(privateHeaders);
    expect(problemIn(await send(port, 'GET', '/me/coverage'))).toMatchObject({ code: 'unauthenticated' });
    expect(problemIn(await send(port, 'GET', '/me/nothing', { headers }))).toMatchObject({ code: 'no-such-route' });
    const document = await send(port, 'GET', '/me/documents/DOC-1', { headers });
    expect(document.body).toEqual(pdf);
  });

  it('keeps the request id that an outer app has set', async () => {
    const { port, headers } = await serveForeignApp({ requestId: '0a1b2c3d-0000-4000-8000-00000000000f' });
    const coverage = await send(port, 'GET', '/me/coverage', { headers });
    expect(coverage.headers).toMatchObject({
      'x-request-id': '0a1b2c3d-0000-4000-8000-00000000000f',
      'x-content-type-options': 'nosniff',
    });
    const failed = await send(port, 'GET', '/me/accumulators', { headers });
    expect(failed.json).toMatchObject({
      status: 500,
      code: 'internal',
      requestId: '0a1b2c3d-0000-4000-8000-00000000000f',
    });
  });

  it('changes only the fields of `MemberState` and the request id in `ctx.state`', async () => {
    const fakes = fakePorts();
    const foreignState = { route: 'foreign', authenticatedAt: 'foreign' };
    const app = new Koa<{ route?: string; authenticatedAt?: string }>();
    app.use(async (ctx, next) => {
      Object.assign(ctx.state, foreignState);
      await next();
      ctx.set('X-State', Object.keys(ctx.state).toSorted().join(' '));
      ctx.set('X-Foreign', `${ctx.state.route} ${ctx.state.authenticatedAt}`);
    });
    app.use(memberRoutes(createUseCases(fakes)));
    const port = await listening(createHttpServer(app.callback()), { headers: ['x-state', 'x-foreign'] });
    const headers = { authorization: `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}` };
    const { headers: received } = await send(port, 'GET', '/me/coverage', { headers });
    expect([received['x-state'], received['x-foreign']]).toEqual([
      'authenticatedAt member requestId route',
      'foreign foreign',
    ]);
  });

  it('passes every other path to the next middleware', async () => {
    const { port } = await serveForeignApp();
    for (const path of ['/', '/meow', '/ME/coverage', '/other?partyLocator=1']) {
      const response = await send(port, 'GET', path);
      expect([response.status, response.text]).toEqual([200, `foreign: ${path.split('?')[0]}`]);
      expect(response.headers).not.toHaveProperty('cache-control');
    }
  });

  it('applies the body limit in another Koa app', async () => {
    const { port, headers } = await serveForeignApp();
    const json = { ...headers, 'content-type': 'application/json' };
    expect((await send(port, 'PUT', '/me/consent', { headers: json, body: '{"a":1234}' })).status).toBe(200);
    expect((await send(port, 'PUT', '/me/consent', { headers: json, body: '{"a":12345}' })).status).toBe(413);
  });
});
