import { once } from 'node:events';
import { type Allowance, createUseCases, type RateLimiter, toJson } from '@portico/core';
import { fakePorts } from '@portico/core/testing';
import { okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { dial, listening, pdf, restOf, send, servePortal } from './portal.test.support.ts';
import { aSearch, clientOf, mhId, moaId, onSearch, searchFakes, serveSearch } from './search.test.support.ts';
import { drain } from './draining.ts';
import { createServer, type ServerRole } from './server.ts';

const requestFor = (path: string, token: string) =>
  `GET ${path} HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer ${token}\r\n\r\n`;

const throwing = (thrown: unknown) => (): never => {
  throw thrown;
};

/** A portal whose eligibility system waits until it is let go on. */
const portalWaiting = async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: gate, resolve: goOn } = Promise.withResolvers<void>();
  const coverage = () => {
    ask();
    return ResultAsync.fromSafePromise(gate).andThen(() => okAsync(toJson({ plan: 'gold' })));
  };
  const portal = await servePortal({ ports: { eligibility: { coverage } } });
  return { portal, asked, goOn };
};

describe('a server without use cases', () => {
  it('knows no route', async () => {
    const port = await listening(createServer({}));
    const answer = await send(port, 'GET', '/me/coverage');
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json).toEqual({
      type: 'urn:portico:problem:no-such-route',
      title: 'No such route',
      status: 404,
      detail: 'There is no such route.',
      code: 'no-such-route',
      requestId: answer.headers['x-request-id'],
    });
  });
});

describe('a server', () => {
  it('does not listen before it is told to', () => {
    expect(createServer({}).listening).toBe(false);
  });

  it('answers several requests on one connection, each for its own member', async () => {
    const portal = await servePortal();
    const other = portal.fakes.identity.issue({ sub: 'PTY-9' });
    const socket = await dial(portal.port);
    socket.write(requestFor('/me/coverage', portal.token) + requestFor('/me/coverage', other));
    socket.write(requestFor('/me/profile', portal.token).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    const statuses = [...(await restOf(socket)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '404', '200']);
    expect(portal.asked).toEqual(['eligibility.coverage PTY-1', 'eligibility.coverage PTY-9', 'policy.profile PTY-1']);
  });

  it('survives what is no HTTP', async () => {
    const portal = await servePortal();
    const socket = await dial(portal.port);
    socket.write('\u0016\u0003\u0001 hello\r\n\r\n');
    expect(await restOf(socket)).toMatch(/^HTTP\/1\.1 400 /);
    expect((await portal.ask('GET', '/me/coverage')).status).toBe(200);
    expect(portal.errors).toEqual([]);
  });

  it('tells of an exception and of the request it happened in', async () => {
    const bug = new Error('a bug');
    const told: unknown[] = [];
    const coverage = throwing(bug);
    const portal = await servePortal({
      ports: { eligibility: { coverage } },
      onError: (...what) => told.push(what),
    });
    const answer = await portal.ask('GET', '/me/coverage');
    expect(told).toEqual([[bug, answer.headers['x-request-id']]]);
  });

  it('answers an exception that is not even an error', async () => {
    const coverage = throwing('PTY-1');
    const portal = await servePortal({ ports: { eligibility: { coverage } } });
    const answer = await portal.ask('GET', '/me/coverage');
    expect([answer.status, answer.json]).toMatchObject([500, { code: 'internal' }]);
    expect(answer.text).not.toContain('PTY-1');
    expect(portal.errors).toEqual(['PTY-1']);
  });

  it('does not call it a bug when a member leaves before the answer', async () => {
    const { portal, asked, goOn } = await portalWaiting();
    const socket = await dial(portal.port);
    socket.write(requestFor('/me/coverage', portal.token));
    await asked;
    socket.destroy();
    await portal.closed();
    goOn();
    expect((await portal.ask('GET', '/me/profile')).status).toBe(200);
    expect(portal.errors).toEqual([]);
  });
});

it('does not call it a bug when a member leaves before the body was looked at', async () => {
  const asked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const reports: unknown[] = [];
  const portal = await servePortal({ onResponse: (report) => reports.push(report) });
  const { verify } = portal.fakes.identity;
  portal.fakes.identity.verify = (token) => {
    asked.resolve();
    return ResultAsync.fromSafePromise(goOn.promise).andThen(() => verify(token));
  };
  const socket = await dial(portal.port);
  socket.write(
    `POST /me/claims HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer ${portal.token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"type":`,
  );
  await asked.promise;
  socket.destroy();
  await portal.closed();
  goOn.resolve();
  expect((await portal.ask('GET', '/me/profile')).status).toBe(200);
  expect(portal.errors).toEqual([]);
  await expect
    .poll(() => reports)
    .toMatchObject([{ route: '/me/claims', status: 499, outcome: 'cut' }, { status: 200 }]);
});

/** Everything that a server with all roles knows, and what it answers to a request that asks for nothing in particular. */
const known: readonly (readonly [role: ServerRole, method: string, path: string, status: number])[] = [
  ['member', 'GET', '/me/coverage', 200],
  ['member', 'POST', '/me/claims', 400],
  ['search', 'POST', '/api/search', 400],
  ['callbacks', 'POST', '/on_search', 400],
  ['callbacks', 'POST', '/on_search/', 400],
  ['callbacks', 'GET', '/health', 200],
  ['callbacks', 'GET', '/api/legs', 200],
];

/** A server of both halves, or of what is left of them. */
const serving = async (roles?: readonly ServerRole[], halves = { member: true, search: true }) => {
  const fakes = fakePorts();
  const search = searchFakes();
  const server = createServer(
    { ...(halves.member && createUseCases(fakes)), ...(halves.search && search.use) },
    roles && { roles },
  );
  const port = await listening(server);
  const authorization = `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}`;
  const headers = { authorization, 'content-type': 'application/json' };
  return {
    port,
    ...search,
    answers: () =>
      Promise.all(
        known.map(async ([, method, path]) => {
          const { status, json } = await send(port, method, path, {
            headers,
            ...(method === 'POST' && { body: '{}' }),
          });
          return [method, path, status, status === 404 && (json as { readonly code: string }).code];
        }),
      ),
  };
};

/** What a server answers that has only these roles. */
const answersOf = (...roles: readonly ServerRole[]) =>
  known.map(([role, method, path, status]) => {
    const found = roles.includes(role) ? status : 404;
    return [method, path, found, found === 404 && 'no-such-route'];
  });

describe('a server with roles', () => {
  it.each<[readonly ServerRole[]]>([
    [['member']],
    [['search']],
    [['callbacks']],
    [['member', 'search']],
    [['search', 'callbacks']],
    [['callbacks', 'search', 'member']],
    [[]],
  ])('answers what belongs to %j, and knows nothing else', async (roles) => {
    const { answers } = await serving(roles);
    expect(await answers()).toEqual(answersOf(...roles));
  });

  it('has all of them unless told', async () => {
    const { answers } = await serving();
    expect(await answers()).toEqual(answersOf('member', 'search', 'callbacks'));
  });

  it('has none for which the use cases are missing', async () => {
    const all = ['member', 'search', 'callbacks'] as const;
    const searching = await serving(all, { member: false, search: true });
    expect(await searching.answers()).toEqual(answersOf('search', 'callbacks'));
    const portal = await serving(all, { member: true, search: false });
    expect(await portal.answers()).toEqual(answersOf('member'));
  });

  it('takes the callbacks of a search that did not come through it', async () => {
    const { port, use, clock } = await serving(['callbacks']);
    const { callBack, counted, search } = clientOf(port);
    const answer = (await use.search(JSON.parse(aSearch))).match(
      (started) => started.answer,
      ({ kind }) => kind,
    );
    expect(await counted()).toEqual({ pending: 2 });
    expect((await search(aSearch)).status).toBe(404);
    expect((await callBack(onSearch(moaId))).json).toEqual({ message: { ack: { status: 'ACK' } } });
    expect(await counted()).toEqual({ pending: 1, delivered: 1 });
    clock.advance(10_000);
    expect(await answer).toMatchObject({
      legs: [{ leg: { id: 'moa' } }, { leg: { id: 'mh' }, error: { kind: 'timeout' } }],
    });
  });
});

describe('draining a server', () => {
  it('lets what is in flight finish and ends its connection', async () => {
    const { portal, asked, goOn } = await portalWaiting();
    const socket = await dial(portal.port);
    socket.write(requestFor('/me/coverage', portal.token));
    await asked;
    const drained = drain(portal.server);
    goOn();
    const answer = await restOf(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    expect(answer).toMatch(/\{"plan":"gold"\}$/);
    await drained;
  });

  it('takes no new connections', async () => {
    const { portal, asked, goOn } = await portalWaiting();
    const socket = await dial(portal.port);
    socket.write(requestFor('/me/coverage', portal.token));
    await asked;
    const drained = drain(portal.server);
    await expect(portal.ask('GET', '/me/profile')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    goOn();
    await drained;
  });

  it('ends a connection that is kept alive for nothing', async () => {
    const portal = await servePortal();
    const socket = await dial(portal.port);
    socket.write(requestFor('/me/coverage', portal.token));
    await once(socket, 'data');
    await Promise.all([drain(portal.server), restOf(socket)]);
    expect(portal.server.listening).toBe(false);
  });

  it('ends the connection of a document that was already on its way, once it is there', async () => {
    const { promise: gate, resolve: goOn } = Promise.withResolvers<void>();
    const content = async function* () {
      yield pdf;
      await gate;
      yield pdf;
    };
    const get = () =>
      okAsync({ outcome: 'whole', headers: { contentLength: String(2 * pdf.length) }, content: content() } as const);
    const portal = await servePortal({ ports: { documents: { get } } });
    const socket = await dial(portal.port);
    socket.write(requestFor('/me/documents/DOC-1', portal.token));
    await once(socket, 'data');
    const drained = drain(portal.server);
    const rest = restOf(socket);
    goOn();
    expect(await rest).toContain(pdf.toString());
    await drained;
  });

  it('cuts off what takes longer than the limit', async () => {
    const { portal, asked } = await portalWaiting();
    const socket = await dial(portal.port);
    socket.write(requestFor('/me/coverage', portal.token));
    await asked;
    const [, answer] = await Promise.all([drain(portal.server, 1), restOf(socket)]);
    expect(answer).toBe('');
    expect(portal.errors).toEqual([]);
  });

  it('is done at once when nothing is going on, or nothing was', async () => {
    const portal = await servePortal();
    await drain(portal.server);
    await drain(portal.server);
    await drain(createServer({}));
    expect(portal.server.listening).toBe(false);
  });

  const searchRequest = `POST /api/search HTTP/1.1\r\nHost: portal\r\nContent-Type: application/json\r\nContent-Length: ${aSearch.length}\r\n\r\n${aSearch}`;

  it('delivers the callbacks of a search whose body was still on its way', async () => {
    const { server, port, posted, callBack } = await serveSearch();
    const socket = await dial(port);
    const requested = once(server, 'request');
    socket.write(searchRequest.slice(0, -10));
    await requested;
    const drained = drain(server);
    socket.write(searchRequest.slice(-10));
    await posted(2);
    await callBack(onSearch(moaId));
    await callBack(onSearch(mhId));
    expect(await restOf(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*"moa":\{/);
    await drained;
  });

  it('delivers the callbacks of a search that was still waiting for the limiter', async () => {
    const asked = Promise.withResolvers<void>();
    const allowed = Promise.withResolvers<Allowance>();
    const addressLimiter: RateLimiter = {
      take: () => {
        asked.resolve();
        return allowed.promise;
      },
    };
    const { server, port, posted, callBack } = await serveSearch({ addressLimiter });
    const socket = await dial(port);
    socket.write(searchRequest);
    await asked.promise;
    const drained = drain(server);
    allowed.resolve({ isAllowed: true });
    await posted(2);
    await callBack(onSearch(moaId));
    await callBack(onSearch(mhId));
    expect(await restOf(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*"moa":\{/);
    await drained;
  });
});
