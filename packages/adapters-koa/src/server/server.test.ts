import { once } from 'node:events';
import { Readable } from 'node:stream';
import { type Allowance, createUseCases, type RateLimiter, toJson } from '@portico/core';
import { fakePorts } from '@portico/core/testing';
import { okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { openSocket, listening, pdf, rawGet, readToEnd, send, servePortal } from './portal.test.support.ts';
import {
  aSearch,
  clientOf,
  mhId,
  moaId,
  onSearch,
  rawSearch,
  searchFakes,
  serveSearch,
} from './search.test.support.ts';
import { drain } from './draining.ts';
import type { ServerRole } from '../request/server-defaults.ts';
import { createServer } from './server.ts';

const throwing = (thrown: unknown) => (): never => {
  throw thrown;
};

/** A portal whose eligibility service waits for `release`. */
const blockedPortal = async () => {
  const { promise: received, resolve: markReceived } = Promise.withResolvers<void>();
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const coverage = () => {
    markReceived();
    return ResultAsync.fromSafePromise(gate).andThen(() => okAsync(toJson({ plan: 'gold' })));
  };
  const portal = await servePortal({ ports: { eligibility: { coverage } } });
  return { portal, received, release };
};

/** A portal with a request that waits for `release`. */
const requestInFlight = async () => {
  const { portal, received, release } = await blockedPortal();
  const socket = await openSocket(portal.port);
  socket.write(rawGet('/me/coverage', portal.token));
  await received;
  return { portal, socket, release };
};

describe('server without use cases', () => {
  it('returns 404 for every route without use cases', async () => {
    const port = await listening(createServer({}));
    const response = await send(port, 'GET', '/me/coverage');
    expect(response.status).toBe(404);
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.json).toEqual({
      type: 'urn:portico:problem:no-such-route',
      title: 'No such route',
      status: 404,
      detail: 'No route matches the path.',
      code: 'no-such-route',
      requestId: response.headers['x-request-id'],
    });
  });
});

describe('server', () => {
  it('does not listen when it is created', () => {
    expect(createServer({}).listening).toBe(false);
  });

  it('serves pipelined requests on one connection, each for its own member', async () => {
    const portal = await servePortal();
    const other = portal.fakes.identity.issue({ sub: 'PTY-9' });
    const socket = await openSocket(portal.port);
    socket.write(rawGet('/me/coverage', portal.token) + rawGet('/me/coverage', other));
    socket.write(rawGet('/me/profile', portal.token, 'Connection: close\r\n'));
    const statuses = [...(await readToEnd(socket)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '404', '200']);
    expect(portal.calls).toEqual(['eligibility.coverage PTY-1', 'eligibility.coverage PTY-9', 'policy.profile PTY-1']);
  });

  it('closes the connection after a pipelined document that broke off before its turn', async () => {
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const brokenOff = Promise.withResolvers<void>();
    const partOfPdf = async function* () {
      yield pdf.subarray(0, 4);
      brokenOff.resolve();
      throw new Error('The service broke off.');
    };
    const content = () =>
      okAsync({ outcome: 'whole' as const, headers: { contentLength: '1000' }, content: partOfPdf() });
    const portal = await servePortal({
      ports: {
        eligibility: {
          coverage: () => ResultAsync.fromSafePromise(gate).andThen(() => okAsync(toJson({ plan: 'gold' }))),
        },
        documents: { get: content },
      },
    });
    const socket = await openSocket(portal.port);
    socket.write(rawGet('/me/coverage', portal.token) + rawGet('/me/documents/DOC-1', portal.token));
    await brokenOff.promise;
    await new Promise((resolve) => void setImmediate(resolve));
    release();
    expect(await readToEnd(socket)).toMatch(
      /^HTTP\/1\.1 200 .*\{"plan":"gold"\}(?:HTTP\/1\.1 200 .*Content-Length: 1000.*)?$/s,
    );
  });

  it('stops reading documents that wait for their turn when the client disconnects', async () => {
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const contents: Readable[] = [];
    const allOpened = Promise.withResolvers<void>();
    const get = () => {
      contents.push(new Readable({ read: () => {} }));
      if (contents.length === 20) allOpened.resolve();
      return okAsync({ outcome: 'whole' as const, headers: {}, content: contents.at(-1)! });
    };
    const coverage = () => ResultAsync.fromSafePromise(gate).andThen(() => okAsync(toJson({ plan: 'gold' })));
    const portal = await servePortal({ ports: { eligibility: { coverage }, documents: { get } } });
    const socket = await openSocket(portal.port);
    socket.write(rawGet('/me/coverage', portal.token));
    socket.write(rawGet('/me/documents/DOC-1', portal.token).repeat(20));
    await allOpened.promise;
    socket.destroy();
    await portal.closed();
    await expect.poll(() => contents.filter(({ destroyed }) => !destroyed).length, { interval: 1 }).toBe(0);
    release();
  });

  it('continues to serve after a malformed request', async () => {
    const portal = await servePortal();
    const socket = await openSocket(portal.port);
    socket.write('\u0016\u0003\u0001 hello\r\n\r\n');
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 400 /);
    expect((await portal.request('GET', '/me/coverage')).status).toBe(200);
    expect(portal.errors).toEqual([]);
  });

  it('reports an exception with the id of its request', async () => {
    const bug = new Error('a bug');
    const reported: unknown[] = [];
    const coverage = throwing(bug);
    const portal = await servePortal({
      ports: { eligibility: { coverage } },
      onError: (...report) => reported.push(report),
    });
    const response = await portal.request('GET', '/me/coverage');
    expect(reported).toEqual([[bug, response.headers['x-request-id']]]);
  });

  it('returns 500 for a thrown value that is not an Error', async () => {
    const coverage = throwing('PTY-1');
    const portal = await servePortal({ ports: { eligibility: { coverage } } });
    const response = await portal.request('GET', '/me/coverage');
    expect([response.status, response.json]).toMatchObject([500, { code: 'internal' }]);
    expect(response.text).not.toContain('PTY-1');
    expect(portal.errors).toEqual(['PTY-1']);
  });

  it('does not report a disconnect before the response as an error', async () => {
    const { portal, socket, release } = await requestInFlight();
    socket.destroy();
    await portal.closed();
    release();
    expect((await portal.request('GET', '/me/profile')).status).toBe(200);
    expect(portal.errors).toEqual([]);
  });
});

it('the server does not report a disconnect before the body is read as an error', async () => {
  const received = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const reports: unknown[] = [];
  const portal = await servePortal({ onResponse: (report) => reports.push(report) });
  const { verify } = portal.fakes.identity;
  portal.fakes.identity.verify = (token) => {
    received.resolve();
    return ResultAsync.fromSafePromise(release.promise).andThen(() => verify(token));
  };
  const socket = await openSocket(portal.port);
  socket.write(
    `POST /me/claims HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer ${portal.token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"type":`,
  );
  await received.promise;
  socket.destroy();
  await portal.closed();
  release.resolve();
  expect((await portal.request('GET', '/me/profile')).status).toBe(200);
  expect(portal.errors).toEqual([]);
  await expect
    .poll(() => reports)
    .toMatchObject([{ route: '/me/claims', status: 499, outcome: 'cut' }, { status: 200 }]);
});

/** The routes of each role, with the expected status of a request with an empty body. */
const probes: readonly (readonly [role: ServerRole, method: string, path: string, status: number])[] = [
  ['member', 'GET', '/me/coverage', 200],
  ['member', 'POST', '/me/claims', 400],
  ['search', 'POST', '/api/search', 400],
  ['callbacks', 'POST', '/on_search', 400],
  ['callbacks', 'POST', '/on_search/', 400],
  ['callbacks', 'GET', '/health', 200],
  ['callbacks', 'GET', '/api/legs', 200],
];

/** A server of both APIs, or of some of them. */
const serving = async (roles?: readonly ServerRole[], apis = { member: true, search: true }) => {
  const fakes = fakePorts();
  const search = searchFakes();
  const server = createServer(
    { ...(apis.member && createUseCases(fakes)), ...(apis.search && search.use) },
    roles && { roles },
  );
  const port = await listening(server);
  const authorization = `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}`;
  const headers = { authorization, 'content-type': 'application/json' };
  return {
    port,
    ...search,
    responses: () =>
      Promise.all(
        probes.map(async ([, method, path]) => {
          const { status, json } = await send(port, method, path, {
            headers,
            ...(method === 'POST' && { body: '{}' }),
          });
          return [method, path, status, status === 404 && (json as { readonly code: string }).code];
        }),
      ),
  };
};

/** The expected responses of a server with only these roles. */
const responsesOf = (...roles: readonly ServerRole[]) =>
  probes.map(([role, method, path, status]) => {
    const found = roles.includes(role) ? status : 404;
    return [method, path, found, found === 404 && 'no-such-route'];
  });

describe('server roles', () => {
  it.each<[readonly ServerRole[]]>([
    [['member']],
    [['search']],
    [['callbacks']],
    [['member', 'search']],
    [['search', 'callbacks']],
    [['callbacks', 'search', 'member']],
    [[]],
  ])('serves only the routes of the roles %j', async (roles) => {
    const { responses } = await serving(roles);
    expect(await responses()).toEqual(responsesOf(...roles));
  });

  it('serves all roles by default', async () => {
    const { responses } = await serving();
    expect(await responses()).toEqual(responsesOf('member', 'search', 'callbacks'));
  });

  it('omits routes whose use cases are missing', async () => {
    const all = ['member', 'search', 'callbacks'] as const;
    const searching = await serving(all, { member: false, search: true });
    expect(await searching.responses()).toEqual(responsesOf('search', 'callbacks'));
    const portal = await serving(all, { member: true, search: false });
    expect(await portal.responses()).toEqual(responsesOf('member'));
  });

  it('accepts callbacks of a search that was started on another host', async () => {
    const { port, use, clock } = await serving(['callbacks']);
    const { callBack, counted, search } = clientOf(port);
    const response = (await use.search(JSON.parse(aSearch))).match(
      (started) => started.response,
      ({ kind }) => kind,
    );
    expect(await counted()).toEqual({ pending: 2 });
    expect((await search(aSearch)).status).toBe(404);
    expect((await callBack(onSearch(moaId))).json).toEqual({ message: { ack: { status: 'ACK' } } });
    expect(await counted()).toEqual({ pending: 1, delivered: 1 });
    clock.advance(10_000);
    expect(await response).toMatchObject({
      legs: [{ leg: { id: 'moa' } }, { leg: { id: 'mh' }, error: { kind: 'timeout' } }],
    });
  });
});

describe('draining', () => {
  it('completes requests in flight while draining and closes their connections', async () => {
    const { portal, socket, release } = await requestInFlight();
    const drained = drain(portal.server);
    release();
    const response = await readToEnd(socket);
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(response).toMatch(/\r\nConnection: close\r\n/);
    expect(response).toMatch(/\{"plan":"gold"\}$/);
    await drained;
  });

  it('refuses new connections while draining', async () => {
    const { portal, release } = await requestInFlight();
    const drained = drain(portal.server);
    await expect(portal.request('GET', '/me/profile')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    release();
    await drained;
  });

  it('serves a request that arrives on a connection that was accepted before', async () => {
    const portal = await servePortal();
    const connected = once(portal.server, 'connection');
    const socket = await openSocket(portal.port);
    await connected;
    const drained = drain(portal.server);
    expect(portal.server.listening).toBe(false);
    socket.write(rawGet('/me/coverage', portal.token));
    const response = await readToEnd(socket);
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\nConnection: close\r\n/);
    await drained;
  });

  it('does not serve a pipelined request whose connection closes after the response before it', async () => {
    const { portal, socket, release } = await requestInFlight();
    const drained = drain(portal.server);
    const requested = once(portal.server, 'request');
    socket.write(rawGet('/me/profile', portal.token));
    await requested;
    release();
    expect((await readToEnd(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(portal.calls).toEqual(['eligibility.coverage PTY-1']);
    await drained;
  });

  it('refuses a search on a connection that was accepted before, because its callbacks could not arrive', async () => {
    const { server, port } = await serveSearch();
    const connected = once(server, 'connection');
    const socket = await openSocket(port);
    await connected;
    const drained = drain(server);
    socket.write(rawSearch());
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 503 /);
    await drained;
  });

  it('closes idle keep-alive connections while draining', async () => {
    const portal = await servePortal();
    const socket = await openSocket(portal.port);
    socket.write(rawGet('/me/coverage', portal.token));
    await once(socket, 'data');
    await Promise.all([drain(portal.server), readToEnd(socket)]);
    expect(portal.server.listening).toBe(false);
  });

  it('completes a document in progress while draining, then closes its connection', async () => {
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const content = async function* () {
      yield pdf;
      await gate;
      yield pdf;
    };
    const get = () =>
      okAsync({ outcome: 'whole', headers: { contentLength: String(2 * pdf.length) }, content: content() } as const);
    const portal = await servePortal({ ports: { documents: { get } } });
    const socket = await openSocket(portal.port);
    socket.write(rawGet('/me/documents/DOC-1', portal.token));
    await once(socket, 'data');
    const drained = drain(portal.server);
    const rest = readToEnd(socket);
    release();
    expect(await rest).toContain(pdf.toString());
    await drained;
  });

  it('closes connections on which nothing was ever sent, long before the drain limit', async () => {
    const hour = 3_600_000;
    const portal = await servePortal({ connections: { headersTimeoutMs: hour, requestTimeoutMs: hour } });
    const connected = once(portal.server, 'connection');
    const socket = await openSocket(portal.port);
    await connected;
    await Promise.all([drain(portal.server, hour), readToEnd(socket).catch(() => {})]);
    expect(portal.server.listening).toBe(false);
  });

  it('closes connections that exceed the drain limit', async () => {
    const { portal, received } = await blockedPortal();
    const socket = await openSocket(portal.port);
    socket.write(rawGet('/me/coverage', portal.token));
    await received;
    const [, response] = await Promise.all([drain(portal.server, 1), readToEnd(socket)]);
    expect(response).toBe('');
    expect(portal.errors).toEqual([]);
  });

  it('drains immediately when the server is idle or was never started', async () => {
    const portal = await servePortal();
    await drain(portal.server);
    await drain(portal.server);
    await drain(createServer({}));
    expect(portal.server.listening).toBe(false);
  });

  it('delivers the callbacks of a search whose body was incomplete when draining began', async () => {
    const { server, port, posted, callBack } = await serveSearch();
    const socket = await openSocket(port);
    const requested = once(server, 'request');
    socket.write(rawSearch().slice(0, -10));
    await requested;
    const drained = drain(server);
    socket.write(rawSearch().slice(-10));
    await posted(2);
    await callBack(onSearch(moaId));
    await callBack(onSearch(mhId));
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*"moa":\{/);
    await drained;
  });

  it('delivers the callbacks of a search that was waiting for the rate limiter', async () => {
    const received = Promise.withResolvers<void>();
    const allowed = Promise.withResolvers<Allowance>();
    const addressLimiter: RateLimiter = {
      take: () => {
        received.resolve();
        return allowed.promise;
      },
    };
    const { server, port, posted, callBack } = await serveSearch({ addressLimiter });
    const socket = await openSocket(port);
    socket.write(rawSearch());
    await received.promise;
    const drained = drain(server);
    allowed.resolve({ isAllowed: true });
    await posted(2);
    await callBack(onSearch(moaId));
    await callBack(onSearch(mhId));
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*"moa":\{/);
    await drained;
  });
});
