import { createServer as createHttpServer } from 'node:http';
import { createUseCases, type Json, noContent } from '@portico/core';
import { fakePorts } from '@portico/core/testing';
import Koa from 'koa';
import { okAsync, type ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { memberRoutes } from './member-routes.ts';
import {
  dial,
  listening,
  pdf,
  privateHeaders,
  problemIn,
  restOf,
  routes,
  send,
  servePortal,
} from '../server/portal.test.support.ts';

const jsonRoutes = routes.filter(([, path]) => path !== '/me/documents/DOC-1');

/** A portal whose downstream services all give the same JSON. */
const portalAnswering = (json: Json) => {
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
  const wish = body === undefined ? {} : { body };
  const success = method === 'POST' ? 201 : 200;

  it(`passes on what ${service} says, byte for byte`, async () => {
    const text = '{ "z":1.0,\n"a":12345678901234567890.1234567890,"é":"\\u00e9","2":0,"1":[ ] } ';
    const portal = await portalAnswering({ text, value: JSON.parse(text) });
    const answer = await portal.ask(method, path, wish);
    expect(answer.status).toBe(success);
    expect(answer.headers).toMatchObject({
      ...privateHeaders,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
    });
    expect(answer.body).toEqual(Buffer.from(text));
    expect(portal.asked).toEqual([`${service}.${operation} PTY-1`]);
  });

  it('has no content when the service gave none', async () => {
    const answer = await (await portalAnswering(noContent)).ask(method, path, wish);
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject(privateHeaders);
    expect(answer.headers).not.toHaveProperty('content-type');
    expect(answer.text).toBe('');
  });

  it('passes on an answer that is not an object', async () => {
    const answer = await (await portalAnswering({ text: 'null', value: null })).ask(method, path, wish);
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
      success,
      'application/json; charset=utf-8',
      'null',
    ]);
  });
});

describe.each(routes)('%s %s', (method, path, service, operation, body?: string) => {
  const wish = body === undefined ? {} : { body };

  it('asks for a token and nobody else for anything', async () => {
    const portal = await servePortal();
    const answer = await portal.ask(method, path, { ...wish, headers: { authorization: undefined } });
    expect(problemIn(answer)).toEqual({
      type: 'urn:portico:problem:unauthenticated',
      title: 'A valid access token is needed',
      status: 401,
      detail: 'There is no access token.',
      code: 'unauthenticated',
    });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="portico"');
    expect(portal.asked).toEqual([]);
  });

  it('refuses a bad token', async () => {
    const portal = await servePortal();
    const answer = await portal.ask(method, path, { ...wish, headers: { authorization: 'Bearer aaaa.bbbb.cccc' } });
    expect(problemIn(answer)).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="portico", error="invalid_token"');
    expect(portal.asked).toEqual([]);
  });

  it('says that the service failed', async () => {
    const portal = await servePortal();
    portal.fakes[service].failWith({ kind: 'upstream', service, reason: 'timeout' });
    expect(problemIn(await portal.ask(method, path, wish))).toEqual({
      type: 'urn:portico:problem:upstream-failure',
      title: 'A downstream service failed',
      status: 502,
      detail: `The ${service} service did not answer in time.`,
      code: 'upstream-failure',
      service,
      reason: 'timeout',
    });
  });

  it('says that the service has no such thing', async () => {
    const portal = await servePortal();
    portal.fakes[service].failWith({ kind: 'not-found', service, code: 'not-found' });
    expect(problemIn(await portal.ask(method, path, wish))).toMatchObject({
      status: 404,
      code: path === '/me/preferences' ? 'preferences-not-set' : 'not-found',
      service,
    });
  });

  it('says nothing of an exception but that it happened', async () => {
    const bug = new Error(`PTY-1 at https://${service}.internal with a secret`);
    const throws = () => {
      throw bug;
    };
    const portal = await servePortal({ ports: { [service]: { [operation]: throws } } });
    expect(problemIn(await portal.ask(method, path, wish))).toEqual({
      type: 'urn:portico:problem:internal',
      title: 'Internal error',
      status: 500,
      detail: 'Something went wrong on our side.',
      code: 'internal',
    });
    expect(portal.errors).toEqual([bug]);
  });

  it('asks for the member of the token, whomever else the request names', async () => {
    const portal = await servePortal();
    const separator = ['list', 'log'].includes(operation) ? '?limit=1' : '?partyLocator=PTY-2&access_token=x';
    const { status } = await portal.ask(method, path + separator, {
      ...wish,
      headers: { 'x-party-locator': 'PTY-2', partylocator: 'PTY-2', cookie: 'partyLocator=PTY-2' },
    });
    expect(status).toBeLessThan(300);
    expect(portal.asked).toEqual([`${service}.${operation} PTY-1`]);
  });
});

describe.each(routes.filter(([method]) => method === 'GET'))(
  'the head of %s %s',
  (method, path, service, operation, _body?: string) => {
    it('is that of the answer, without a body', async () => {
      const portal = await servePortal();
      const get = await portal.ask(method, path);
      const head = await portal.ask('HEAD', path);
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['content-type', 'content-length', 'cache-control', 'vary', 'x-content-type-options'])
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
      expect(portal.asked).toEqual(Array(2).fill(`${service}.${operation} PTY-1`));
    });
  },
);

const allowed = [
  ['/me/coverage', 'GET, HEAD'],
  ['/me/accumulators', 'GET, HEAD'],
  ['/me/claims', 'GET, HEAD, POST'],
  ['/me/claims/CLM-1', 'GET, HEAD'],
  ['/me/documents', 'GET, HEAD'],
  ['/me/documents/DOC-1', 'GET, HEAD'],
  ['/me/profile', 'GET, HEAD, PATCH'],
  ['/me/preferences', 'GET, HEAD, PUT'],
  ['/me/consent', 'GET, HEAD, PUT'],
  ['/me/notifications', 'GET, HEAD'],
  ['/me/notifications/log', 'GET, HEAD'],
] as const;

describe.each(allowed)('%s', (path, allow) => {
  it(`allows ${allow} and no other method`, async () => {
    const portal = await servePortal();
    const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'].filter((method) => !allow.includes(method));
    for (const method of methods) {
      const answer = await portal.ask(method, path);
      expect(problemIn(answer)).toEqual({
        type: 'urn:portico:problem:method-not-allowed',
        title: 'Method not allowed',
        status: 405,
        detail: `This route allows ${allow}.`,
        code: 'method-not-allowed',
      });
      expect(answer.headers['allow']).toBe(allow);
    }
    expect(portal.asked).toEqual([]);
  });

  it('says what it allows when it is asked for its options', async () => {
    const portal = await servePortal();
    const answer = await portal.ask('OPTIONS', path);
    expect([answer.status, answer.headers['allow'], answer.text]).toEqual([204, allow, '']);
    expect(answer.headers).toMatchObject(privateHeaders);
    expect(portal.asked).toEqual([]);
  });
});

describe('a path under /me', () => {
  it.each([
    '/me',
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
  ])('is no route when it is %s', async (path) => {
    const portal = await servePortal();
    for (const method of ['GET', 'POST', 'OPTIONS'])
      expect(problemIn(await portal.ask(method, path))).toEqual({
        type: 'urn:portico:problem:no-such-route',
        title: 'No such route',
        status: 404,
        detail: 'There is no such route.',
        code: 'no-such-route',
      });
    expect(portal.asked).toEqual([]);
  });

  it.each(['/', '/ME/coverage', '/meow', '/me.json', '//me/coverage', '/health', '/../me/coverage'])(
    'is not %s',
    async (path) => {
      const portal = await servePortal();
      const answer = await portal.ask('GET', path);
      expect(answer.json).toMatchObject({ status: 404, code: 'no-such-route' });
      expect(answer.headers).not.toHaveProperty('cache-control');
      expect(portal.asked).toEqual([]);
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
  ])('never turns the locator %s into another downstream path', async (locator) => {
    const portal = await servePortal();
    for (const noun of ['claims', 'documents'])
      expect(problemIn(await portal.ask('GET', `/me/${noun}/${locator}`))).toEqual({
        type: 'urn:portico:problem:invalid-request',
        title: 'The request is not valid',
        status: 400,
        detail: 'The locator in the path is not valid.',
        code: 'invalid-request',
        errors: [
          {
            path: '/locator',
            message: 'must be 1 to 128 letters, digits, dots, underscores, colons or hyphens, without ".."',
          },
        ],
      });
    expect(portal.asked).toEqual([]);
  });

  it('may have its locator percent-encoded', async () => {
    const portal = await servePortal();
    expect((await portal.ask('GET', '/me/claims/%43LM%2D1')).json).toMatchObject({ locator: 'CLM-1' });
  });

  it('may come in absolute form, whatever host it names', async () => {
    const portal = await servePortal();
    const socket = await dial(portal.port);
    socket.write(
      `GET http://elsewhere.example/me/coverage HTTP/1.1\r\nHost: elsewhere.example\r\nAuthorization: Bearer ${portal.token}\r\nConnection: close\r\n\r\n`,
    );
    const answer = await restOf(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer.endsWith('\r\n\r\n{"plan":"gold"}')).toBe(true);
  });
});

describe('a list', () => {
  it.each(['/me/claims', '/me/documents', '/me/notifications', '/me/notifications/log'])(
    'under %s refuses what it does not relay, by name',
    async (path) => {
      const portal = await servePortal();
      const answer = await portal.ask('GET', `${path}?limit=1&partyLocator=PTY-2&a%2Fb=1&partyLocator=`);
      expect(problemIn(answer)).toMatchObject({
        status: 400,
        code: 'invalid-request',
        detail: 'This list has no such query parameter: partyLocator, a/b.',
        errors: [{ path: '/partyLocator' }, { path: '/a~1b' }],
      });
      expect(portal.asked).toEqual([]);
    },
  );

  it('relays its parameters in order, decoded once and as they were written', async () => {
    let relayed: unknown;
    const list = (_: unknown, query: unknown) => {
      relayed = query;
      return okAsync({ text: '[]', value: [] });
    };
    const portal = await servePortal({ ports: { claims: { list } } });
    await portal.ask('GET', '/me/claims?to=2026-01-01&status=a%20b%2526&status=c+d&sort=&p%61ge=1&limit');
    expect(relayed).toEqual([
      ['to', '2026-01-01', '2026-01-01'],
      ['status', 'a b%26', 'a%20b%2526'],
      ['status', 'c d', 'c+d'],
      ['sort', '', ''],
      ['page', '1', '1'],
      ['limit', '', ''],
    ]);
  });

  it.each(['%ff%fe', '%zz'])('refuses a value that is not UTF-8, and names its parameter: %s', async (value) => {
    const portal = await servePortal();
    const answer = await portal.ask('GET', `/me/claims?page=1&cursor=${value}`);
    expect(problemIn(answer)).toMatchObject({ status: 400, code: 'invalid-request', errors: [{ path: '/cursor' }] });
    expect(portal.asked).toEqual([]);
  });
});

const broken = () => {
  throw new Error('a bug');
};

const serveTheirs = async ({ requestId }: { readonly requestId?: string } = {}) => {
  const fakes = fakePorts();
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx, next) => {
    ctx.set('X-Theirs', 'yes');
    if (requestId !== undefined) ctx.state['requestId'] = requestId;
    await next();
  });
  app.use(memberRoutes({ ...createUseCases(fakes), getAccumulators: broken }, { maxRequestBytes: 10 }));
  app.use((ctx) => {
    ctx.body = `theirs: ${ctx.path}`;
  });
  const port = await listening(createHttpServer(app.callback()), {
    isTheirs: ({ text }) => text.startsWith('theirs: '),
    headers: ['x-theirs'],
  });
  return { port, headers: { authorization: `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}` } };
};

describe('the routes in a Koa app of somebody else', () => {
  it('answer what is theirs, complete with ids, cache headers and problems', async () => {
    const { port, headers } = await serveTheirs();
    const coverage = await send(port, 'GET', '/me/coverage', { headers });
    expect([coverage.status, coverage.json, coverage.headers['x-theirs']]).toEqual([200, { plan: 'gold' }, 'yes']);
    expect(coverage.headers).toMatchObject(privateHeaders);
    expect(problemIn(await send(port, 'GET', '/me/coverage'))).toMatchObject({ code: 'unauthenticated' });
    expect(problemIn(await send(port, 'GET', '/me/nothing', { headers }))).toMatchObject({ code: 'no-such-route' });
    const pdfAnswer = await send(port, 'GET', '/me/documents/DOC-1', { headers });
    expect(pdfAnswer.body).toEqual(pdf);
  });

  it('are as complete where that app has given the request an id already', async () => {
    const { port, headers } = await serveTheirs({ requestId: '0a1b2c3d-0000-4000-8000-00000000000f' });
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

  it('leave everything in its state that is not named in `MemberState` or its id', async () => {
    const fakes = fakePorts();
    const theirs = { route: 'theirs', authenticatedAt: 'theirs' };
    const app = new Koa<{ route?: string; authenticatedAt?: string }>();
    app.use(async (ctx, next) => {
      Object.assign(ctx.state, theirs);
      await next();
      ctx.set('X-State', Object.keys(ctx.state).toSorted().join(' '));
      ctx.set('X-Theirs', `${ctx.state.route} ${ctx.state.authenticatedAt}`);
    });
    app.use(memberRoutes(createUseCases(fakes)));
    const port = await listening(createHttpServer(app.callback()), { headers: ['x-state', 'x-theirs'] });
    const headers = { authorization: `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}` };
    const { headers: answered } = await send(port, 'GET', '/me/coverage', { headers });
    expect([answered['x-state'], answered['x-theirs']]).toEqual([
      'authenticatedAt member requestId route',
      'theirs theirs',
    ]);
  });

  it('let every other path pass by untouched', async () => {
    const { port } = await serveTheirs();
    for (const path of ['/', '/meow', '/ME/coverage', '/other?partyLocator=1']) {
      const answer = await send(port, 'GET', path);
      expect([answer.status, answer.text]).toEqual([200, `theirs: ${path.split('?')[0]}`]);
      expect(answer.headers).not.toHaveProperty('cache-control');
    }
  });

  it('keep to the limit they were given', async () => {
    const { port, headers } = await serveTheirs();
    const json = { ...headers, 'content-type': 'application/json' };
    expect((await send(port, 'PUT', '/me/consent', { headers: json, body: '{"a":1234}' })).status).toBe(200);
    expect((await send(port, 'PUT', '/me/consent', { headers: json, body: '{"a":12345}' })).status).toBe(413);
  });
});
