import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import {
  createUseCases,
  declareService,
  type Failure,
  maxPageBytes,
  noContent,
  ownService,
  toJson,
  upstream,
  withBytes,
} from '@portico/core';
import { fakePorts, fakeRateLimiter, fakeService } from '@portico/core/testing';
import fc from 'fast-check';
import { errAsync, ok, okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import type { RequestReport } from '../request/request-report.ts';
import { drain } from '../server/draining.ts';
import {
  listening,
  openSocket,
  privateHeaders,
  problemIn,
  rawGet,
  readToEnd,
  send,
  servePortal,
  type TestResponse,
} from '../server/portal.test.support.ts';
import { createServer } from '../server/server.ts';

interface Page {
  readonly partial: boolean;
  readonly parts: Readonly<
    Record<string, { readonly status: number; readonly body?: unknown; readonly problem?: object }>
  >;
}

const pageIn = (response: TestResponse): Page => {
  expect(response.status).toBe(200);
  return response.json as Page;
};

/** Each part: its route, its port and its operation. */
const parts = {
  coverage: ['/me/coverage', 'eligibility', 'coverage'],
  accumulators: ['/me/accumulators', 'eligibility', 'accumulators'],
  claims: ['/me/claims', 'claims', 'list'],
  documents: ['/me/documents', 'documents', 'list'],
  profile: ['/me/profile', 'policy', 'profile'],
  preferences: ['/me/preferences', 'notifications', 'preferences'],
  notifications: ['/me/notifications', 'notifications', 'list'],
  log: ['/me/notifications/log', 'notifications', 'log'],
  consent: ['/me/consent', 'consent', 'get'],
} as const;

type PartName = keyof typeof parts;

const partNames = Object.keys(parts) as readonly PartName[];

/** Operations that replace those of the fakes, by part. */
const replacing = (operations: { readonly [Name in PartName]?: unknown }) => {
  const ports: Record<string, Record<string, unknown>> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const [, port, method] = parts[name as PartName];
    ports[port] = { ...ports[port], [method]: operation };
  }
  return ports as NonNullable<Parameters<typeof fakePorts>[0]>;
};

const unreachable = () => errAsync(upstream('claims', 'unreachable'));

const throwing = () => {
  throw new Error('a bug in a callback');
};

const bearerOf = ({ identity }: Pick<ReturnType<typeof fakePorts>, 'identity'>, sub = 'PTY-1') => ({
  authorization: `Bearer ${identity.issue({ sub })}`,
});

describe('GET /me', () => {
  it('has every read without a parameter, each with the body of its own route', async () => {
    const portal = await servePortal();
    const page = await portal.request('GET', '/me');
    expect(page.headers).toMatchObject({
      ...privateHeaders,
      vary: 'Authorization, Accept',
      'content-type': 'application/json; charset=utf-8',
    });
    expect([pageIn(page).partial, Object.keys(pageIn(page).parts)]).toEqual([false, partNames]);
    for (const [name, [path]] of Object.entries(parts))
      expect(pageIn(page).parts[name]).toEqual({ status: 200, body: (await portal.request('GET', path)).json });
  });

  it('relays each body byte for byte, and has no body for a response without content', async () => {
    const text = '{ "b":12345678901234567890.10, "a":1e400,\r\n"b":"\\u0041 ä 🦷" }';
    const portal = await servePortal({
      ports: replacing({ claims: () => okAsync({ text, value: {} }), coverage: () => okAsync(noContent) }),
    });
    const { text: page } = await portal.request('GET', '/me?include=claims,coverage');
    expect(page).toBe(`{"partial":false,"parts":{"claims":{"status":200,"body":${text}},"coverage":{"status":204}}}`);
  });

  it('has the status 200 if the service returns 202, as the own route of the part', async () => {
    const accepted = { text: '{"a":1}', value: { a: 1 }, status: 202 };
    const portal = await servePortal({ ports: replacing({ coverage: () => okAsync(accepted) }) });
    const { text } = await portal.request('GET', '/me?include=coverage');
    expect(text).toBe('{"partial":false,"parts":{"coverage":{"status":200,"body":{"a":1}}}}');
  });

  it('has no entity tag, so that a page is not sent back in If-Match', async () => {
    const { headers } = await (await servePortal()).request('GET', '/me?include=profile');
    expect(headers).not.toHaveProperty('etag');
  });

  it.each<Failure>([
    upstream('claims', 'timeout'),
    { kind: 'upstream', service: 'claims', reason: 'status', status: 403 },
    { kind: 'not-found', service: 'claims', code: 'not-found' },
    { kind: 'unauthenticated', reason: 'invalid', refusal: 'exchange' },
    { kind: 'overloaded', retryAfterSeconds: 7 },
    { kind: 'unexpected', cause: new Error('PTY-1 is in the message') },
  ])('reports a failure of each part as its own route does: %j', async (failure) => {
    const fails = () => errAsync(failure);
    for (const name of partNames) {
      const portal = await servePortal({ ports: replacing({ [name]: fails }) });
      const page = await portal.request('GET', '/me');
      const own = await portal.request('GET', parts[name][0]);
      const { parts: found, partial } = pageIn(page);
      expect([partial, found[name]]).toEqual([
        true,
        { status: own.status, problem: { ...(own.json as object), requestId: page.headers['x-request-id'] } },
      ]);
      for (const other of partNames.filter((other) => other !== name)) expect(found[other]?.status).toBe(200);
      expect(portal.errors).toEqual(failure.kind === 'unexpected' ? [failure.cause, failure.cause] : []);
    }
  });

  it('has a problem for preferences that were never set', async () => {
    const portal = await servePortal();
    const headers = bearerOf(portal.fakes, 'PTY-3');
    const { partial, parts: found } = pageIn(await portal.request('GET', '/me?include=preferences', { headers }));
    expect([partial, found['preferences']]).toMatchObject([
      true,
      { status: 404, problem: { code: 'preferences-not-set', service: 'notifications' } },
    ]);
  });

  it('is 200 with a problem for each part, also when every part fails', async () => {
    const portal = await servePortal({
      ports: replacing(Object.fromEntries(partNames.map((name) => [name, unreachable]))),
    });
    const { partial, parts: found } = pageIn(await portal.request('GET', '/me'));
    expect([partial, Object.values(found).map(({ status }) => status)]).toEqual([true, partNames.map(() => 502)]);
  });

  it('reports an exception in a part as 500 of that part, without its message', async () => {
    const bug = new Error('PTY-1 is in the message');
    const throws = () => {
      throw bug;
    };
    const portal = await servePortal({ ports: replacing({ claims: throws }) });
    const response = await portal.request('GET', '/me?include=claims,coverage');
    const { parts: found } = pageIn(response);
    expect([found['claims']?.status, found['coverage']?.status, portal.errors]).toEqual([500, 200, [bug]]);
    expect(response.text).not.toContain('is in the message');
  });

  it('passes the exception of each part to onError, with the id of the request', async () => {
    const bugs = [new Error('one'), new Error('two')];
    const reported: unknown[] = [];
    const portal = await servePortal({
      ports: replacing({
        claims: () => errAsync({ kind: 'unexpected', cause: bugs[0] }),
        consent: () => errAsync({ kind: 'unexpected', cause: bugs[1] }),
      }),
      onError: (...report) => reported.push(report),
    });
    const { headers } = await portal.request('GET', '/me');
    expect(reported).toEqual(bugs.map((bug) => [bug, headers['x-request-id']]));
  });

  it('reads all parts at once', async () => {
    const entered: string[] = [];
    const all = Promise.withResolvers<void>();
    const waits = (name: string) => () => {
      entered.push(name);
      if (entered.length === partNames.length) all.resolve();
      return new ResultAsync(all.promise.then(() => ok(toJson({}))));
    };
    const portal = await servePortal({
      ports: replacing(Object.fromEntries(partNames.map((name) => [name, waits(name)]))),
    });
    // No part settles before the last one is read.
    expect(pageIn(await portal.request('GET', '/me')).partial).toBe(false);
    expect(entered).toEqual(partNames);
  });

  it('is reported by its own path, also when a part failed', async () => {
    const reports: RequestReport[] = [];
    const portal = await servePortal({
      onResponse: (report) => void reports.push(report),
      ports: replacing({ claims: () => errAsync(upstream('claims', 'timeout')) }),
    });
    await portal.request('GET', '/me?include=claims');
    await expect.poll(() => reports).toMatchObject([{ route: '/me', status: 200, outcome: 'sent' }]);
  });

  it('supports HEAD, and returns 405 for other methods', async () => {
    const portal = await servePortal();
    const [get, head] = [await portal.request('GET', '/me'), await portal.request('HEAD', '/me')];
    expect([head.status, head.headers['content-length']]).toEqual([200, get.headers['content-length']]);
    expect(portal.errors).toEqual([]);
    const refused = await portal.request('POST', '/me', { body: '{}' });
    expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the parameter include', () => {
  it.each(['claims,coverage', 'claims%2Ccoverage', 'claims&include=coverage'])(
    'selects parts, in its own order: %s',
    async (include) => {
      const portal = await servePortal();
      const { parts: found } = pageIn(await portal.request('GET', `/me?include=${include}`));
      expect(Object.keys(found)).toEqual(['claims', 'coverage']);
      expect(portal.calls.toSorted()).toEqual(['claims.list PTY-1', 'eligibility.coverage PTY-1']);
    },
  );

  it.each([
    ['include=nothing', 'Unknown part: nothing.', '/include'],
    ['include=coverage,a,b', 'Unknown part: a, b.', '/include'],
    ['include=', 'Unknown part: (empty).', '/include'],
    ['include=coverage,', 'Unknown part: (empty).', '/include'],
    ['include=coverage,claims,coverage', 'Repeated part: coverage.', '/include'],
    ['include=Coverage', 'Unknown part: Coverage.', '/include'],
    ['include=constructor', 'Unknown part: constructor.', '/include'],
    ['include=notifications/log', 'Unknown part: notifications/log.', '/include'],
    ['limit=1', 'Unknown query parameter: limit.', '/limit'],
    ['partyLocator=PTY-2&include=coverage', 'Unknown query parameter: partyLocator.', '/partyLocator'],
    ['include=%ff', 'Invalid query parameter value: include.', '/include'],
  ])('is refused with a 400 that names what is wrong, and nothing is read: %s', async (query, detail, path) => {
    const portal = await servePortal();
    const problem = problemIn(await portal.request('GET', `/me?${query}`));
    expect(problem).toMatchObject({ code: 'invalid-request', detail, errors: [{ path }] });
    expect(portal.calls).toEqual([]);
  });
});

describe('the parts that a server has', () => {
  const visits = declareService('visits', {
    list: { route: 'GET /me/visits', path: '/members/{partyLocator}/visits', query: ['status'] },
    summary: { route: 'GET /me/visits/summary', path: '/members/{partyLocator}/summary' },
    get: { route: 'GET /me/visits/{locator}/{part}', path: '/members/{partyLocator}/visits/{locator}/{part}' },
    card: { route: 'GET /me/card', path: '/members/{partyLocator}/card', type: 'image/svg+xml' },
    submit: { route: 'POST /me/visits', path: '/members/{partyLocator}/visits' },
  });

  it('are those of the present services and the JSON reads of services of your own', async () => {
    const { identity, clock, consent } = fakePorts();
    const records = { '/me/visits': { visits: [] }, '/me/visits/summary': { count: 0 } };
    const services = [ownService(visits, fakeService(visits, { 'PTY-1': records }))];
    const use = createUseCases({ identity, clock, consent, services });
    const port = await listening(createServer(use), { isForeign: () => true });
    const headers = bearerOf({ identity });
    const { parts: found } = pageIn(await send(port, 'GET', '/me', { headers }));
    expect(Object.keys(found)).toEqual(['consent', 'visits', 'summary']);
    expect(found['summary']).toEqual({ status: 200, body: { count: 0 } });
    expect((await send(port, 'GET', '/me?include=coverage', { headers })).status).toBe(400);
    const { json } = await send(port, 'GET', '/openapi.json');
    const [include] = (json as { paths: Record<string, { get: { parameters: { description?: string }[] } }> }).paths[
      '/me'
    ]!.get.parameters;
    expect(include?.description).toContain('consent, visits, summary.');
  });

  it('keep the status of a service of your own', async () => {
    const fakes = fakePorts();
    const fake = {
      ...fakeService(visits, {}),
      list: () => okAsync({ ...toJson({ queued: true }), status: 202 as const }),
    };
    const use = createUseCases({ ...fakes, services: [ownService(visits, fake)] });
    const port = await listening(createServer(use), { isForeign: () => true });
    const { parts: found } = pageIn(await send(port, 'GET', '/me?include=visits', { headers: bearerOf(fakes) }));
    expect(found).toEqual({ visits: { status: 202, body: { queued: true } } });
  });

  it('are none without a service that has a read: then the route is 404 no-such-route', async () => {
    const { identity, clock } = fakePorts();
    const inbox = declareService('inbox', { send: { route: 'POST /me/inbox', path: '/{partyLocator}/inbox' } });
    for (const services of [[], [ownService(inbox, fakeService(inbox, {}))]]) {
      const port = await listening(createServer(createUseCases({ identity, clock, services })), {
        isForeign: () => true,
      });
      expect((await send(port, 'GET', '/me')).json).toMatchObject({ status: 404, code: 'no-such-route' });
      expect((await send(port, 'GET', '/openapi.json')).json).not.toHaveProperty(['paths', '/me']);
    }
  });
});

const ownVisits = declareService('visits', { list: { route: 'GET /me/visits', path: '/{partyLocator}/visits' } });

/** A short text that counts as so many bytes. */
const body = (size: number) => withBytes(toJson({ a: 1 }), new Uint8Array(size));

/** Settles after every part that does not wait. */
const late = () => new ResultAsync(setImmediate().then(() => ok(body(2000))));

const sendPage = async (accept: string) => {
  const fakes = fakePorts(replacing({ claims: () => okAsync(body(maxPageBytes - 1000)), coverage: late }));
  const services = [ownService(ownVisits, { ...fakeService(ownVisits, {}), list: late })];
  const port = await listening(createServer(createUseCases({ ...fakes, services })), { isForeign: () => true });
  return send(port, 'GET', '/me?include=coverage,claims,consent,visits', {
    headers: { ...bearerOf(fakes), accept },
  });
};

const tooLarge = (service: string) => ({
  status: 502,
  problem: { code: 'upstream-failure', service, reason: 'too-large' },
});
const expected = {
  coverage: tooLarge('eligibility'),
  claims: { status: 200, body: { a: 1 } },
  consent: { status: 200 },
  visits: tooLarge('visits'),
};

describe('a page whose bodies are too large together', () => {
  it('has a problem for each part that does not fit, and the other parts', async () => {
    expect(pageIn(await sendPage('application/json'))).toMatchObject({ partial: true, parts: expected });
  });

  it('has the same problems in its event stream', async () => {
    const { text } = await sendPage('text/event-stream');
    const events = eventsIn(text) as readonly (readonly [string, { readonly name?: string }])[];
    expect(Object.fromEntries(events.map(([type, data]) => [data.name ?? type, data]))).toMatchObject({
      ...expected,
      done: { partial: true },
    });
  });
});

describe('the rate limit of a member', () => {
  it('counts each part, and refuses the parts beyond it with the problem of their own routes', async () => {
    const memberLimiter = fakeRateLimiter({ requests: 3 });
    const limited: string[] = [];
    const portal = await servePortal({ memberLimiter, onRateLimited: (kind) => limited.push(kind) });
    const page = await portal.request('GET', '/me?include=coverage,claims,profile,consent,log');
    expect(Object.values(pageIn(page).parts).map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect([memberLimiter.taken.length, limited, portal.calls.length]).toEqual([5, ['member', 'member'], 3]);
    const own = await portal.request('GET', '/me/consent');
    expect(pageIn(page).parts['consent']?.problem).toEqual({
      ...(own.json as object),
      requestId: page.headers['x-request-id'],
    });
  });

  it('refuses the whole request with 429 and Retry-After when no part is left', async () => {
    const portal = await servePortal({ memberLimiter: fakeRateLimiter({ requests: 1 }) });
    expect((await portal.request('GET', '/me?include=coverage')).status).toBe(200);
    const refused = await portal.request('GET', '/me?include=coverage');
    expect([refused.status, refused.headers['retry-after'], portal.calls.length]).toEqual([429, '60', 1]);
  });
});

/** The data of each event, by name. */
const eventsIn = (text: string): readonly (readonly [string, unknown])[] =>
  [...text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(([, name = '', data = '']) => [name, JSON.parse(data)]);

describe('the event stream of GET /me', () => {
  const streaming = { accept: 'text/event-stream' };

  it('has each part as it settles, then done', async () => {
    const release = Promise.withResolvers<void>();
    const portal = await servePortal({
      ports: replacing({
        coverage: () =>
          new ResultAsync(release.promise.then(() => ok({ text: '{"n":\n12345678901234567890}', value: {} }))),
        claims: () => errAsync(upstream('claims', 'timeout')),
      }),
    });
    const socket = await openSocket(portal.port);
    const received: Buffer[] = [];
    const seen = Promise.withResolvers<void>();
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      if (Buffer.concat(received).includes('event: part')) seen.resolve();
    });
    const ended = readToEnd(socket);
    const fields = 'Accept: text/event-stream\r\nConnection: close\r\n';
    socket.write(rawGet('/me?include=coverage,claims', portal.token, fields));
    await seen.promise;
    release.resolve();
    const text = (await ended).replaceAll(/\r\n[0-9a-f]+\r\n/g, '');
    expect(text).toContain('"body":{"n": 12345678901234567890}');
    expect(eventsIn(text)).toMatchObject([
      ['part', { name: 'claims', status: 502, problem: { code: 'upstream-failure', service: 'claims' } }],
      ['part', { name: 'coverage', status: 200 }],
      ['done', { partial: true }],
    ]);
  });

  it('has the headers of an event stream and of the member routes', async () => {
    const { headers, text } = await (await servePortal()).request('GET', '/me?include=consent', { headers: streaming });
    expect(headers).toMatchObject({
      ...privateHeaders,
      vary: 'Authorization, Accept',
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    });
    expect(eventsIn(text).at(-1)).toEqual(['done', { partial: false }]);
  });

  it('reports wrong names with 400 before the stream starts', async () => {
    const response = await (await servePortal()).request('GET', '/me?include=x', { headers: streaming });
    expect(problemIn(response)).toMatchObject({ code: 'invalid-request' });
  });

  it('survives a client that disconnects before the last part', async () => {
    const release = Promise.withResolvers<void>();
    const reports: RequestReport[] = [];
    const portal = await servePortal({
      onResponse: (report) => void reports.push(report),
      ports: replacing({ coverage: () => new ResultAsync(release.promise.then(() => ok(toJson({})))) }),
    });
    const socket = await openSocket(portal.port);
    socket.write(rawGet('/me', portal.token, 'Accept: text/event-stream\r\n'));
    await once(socket, 'data');
    socket.destroy();
    await expect.poll(() => reports).toMatchObject([{ route: '/me', outcome: 'cut' }]);
    release.resolve();
    expect((await portal.request('GET', '/me')).status).toBe(200);
    expect(portal.errors).toEqual([]);
  });

  it.each(['GET', 'HEAD'])('does not end the process when a callback of the operator throws: %s', async (method) => {
    const portal = await servePortal({ memberLimiter: fakeRateLimiter({ requests: 1 }), onRateLimited: throwing });
    const headers = { authorization: `Bearer ${portal.token}`, ...streaming };
    const response = request({ host: '127.0.0.1', port: portal.port, method, path: '/me', headers, agent: false });
    response.end();
    const [incoming] = (await once(response, 'response')) as [IncomingMessage];
    incoming.resume();
    // Cut, because the headers were sent before the exception. HEAD has no events.
    if (method === 'GET') await expect(once(incoming, 'end')).rejects.toThrow('aborted');
    expect((await portal.request('GET', '/livez')).status).toBe(200);
  });

  it('is completed while the server drains', async () => {
    const release = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const coverage = () => {
      entered.resolve();
      return new ResultAsync(release.promise.then(() => ok(toJson({}))));
    };
    const portal = await servePortal({ ports: replacing({ coverage }) });
    const inFlight = portal.request('GET', '/me?include=coverage,claims', { headers: streaming });
    await entered.promise;
    const drained = drain(portal.server);
    release.resolve();
    expect(eventsIn((await inFlight).text).at(-1)).toEqual(['done', { partial: false }]);
    await drained;
  });
});

it('no page has data of another member, whichever parts are read at the same time', async () => {
  /** Each read waits until all reads of the round have begun, and returns the locator of its member. */
  let waiting: (() => void)[] = [];
  let expected = 0;
  const read = (member: { readonly locator: string }) =>
    new ResultAsync(
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === expected) for (const release of waiting.toReversed()) release();
      }).then(() => ok(toJson({ locator: member.locator }))),
    );
  const portal = await servePortal({ ports: replacing(Object.fromEntries(partNames.map((name) => [name, read]))) });
  const aRequest = fc.record({
    member: fc.constantFrom('PTY-1', 'PTY-2', 'PTY-3'),
    include: fc.uniqueArray(fc.constantFrom(...partNames), { minLength: 1 }),
    accept: fc.constantFrom('application/json', 'text/event-stream'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(aRequest, { minLength: 1, maxLength: 5 }), async (requests) => {
      waiting = [];
      expected = requests.reduce((count, { include }) => count + include.length, 0);
      const responses = await Promise.all(
        requests.map(({ member, include, accept }) =>
          portal.request('GET', `/me?include=${include.join(',')}`, {
            headers: { ...bearerOf(portal.fakes, member), accept },
          }),
        ),
      );
      for (const [at, { member, include }] of requests.entries()) {
        const found = [...responses[at]!.text.matchAll(/"locator":"([^"]*)"/g)].map(([, locator]) => locator);
        expect(found).toEqual(include.map(() => member));
      }
    }),
    { numRuns: 30 },
  );
});
