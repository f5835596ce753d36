import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { type LegOutcome, type Search, type SearchEvent, toJson } from '@portico/core';
import { acknowledged, aLeg } from '@portico/core/testing';
import Koa from 'koa';
import { createServer as createHttpServer } from 'node:http';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  createServer as createHttp2Server,
} from 'node:http2';
import { ok } from 'neverthrow';
import { describe, expect, it, onTestFinished } from 'vitest';
import { collectGarbage } from '../server/garbage.test.support.ts';
import { openSocket, listening, send } from '../server/portal.test.support.ts';
import { callbackRoutes, searchRoutes } from '../mounting/search-routes.ts';
import {
  aSearch,
  clientOf,
  mhId,
  moaId,
  onSearch,
  rawSearch,
  refused,
  searchFakes,
  serveSearch,
} from '../server/search.test.support.ts';
import { createServer } from '../server/server.ts';

const observers: Koa.Middleware = ({ res }, next) => {
  for (let count = 0; count < 9; count++) res.on('close', () => {});
  return next();
};

it('a search whose response has many observers is not reported as a leak', async () => {
  const warnings: Error[] = [];
  const keep = (warning: Error) => void warnings.push(warning);
  process.on('warning', keep);
  onTestFinished(() => void process.off('warning', keep));
  const { listen, callBack } = await serveSearch({ middleware: [observers] });
  const { next } = await listen();
  for (const id of [moaId, mhId]) await callBack(onSearch(id));
  while ((await next()) !== undefined);
  expect(warnings).toEqual([]);
});

describe('search request', () => {
  it('does not keep the body while the search waits', async () => {
    const { use, posted, clock } = searchFakes();
    let body: WeakRef<object> | undefined;
    const search: Search = (request, signal) => {
      body = new WeakRef(request as object);
      return use.search(request, signal);
    };
    const client = clientOf(await listening(createServer({ ...use, search })));
    const response = client.search();
    await posted(2);
    // Another request, so that the one that reads the body has ended.
    await client.counted();
    collectGarbage();
    expect(body?.deref()).toBeUndefined();
    clock.advance(10_000);
    expect((await response).status).toBe(200);
  });
});

describe('a query with many blanks around it', () => {
  it('takes no memory for the blanks while its search waits', async () => {
    const { search, posted, clock } = await serveSearch();
    await search('{}');
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const query = `${' '.repeat(200_000)}dental cover for a family`;
    // One buffer, so that the test's client does not keep a string per request.
    const body = Buffer.from(JSON.stringify({ persona: 'member', query, user_id: 'u-1' }));
    const responses = Array.from({ length: 50 }, () => search(body));
    await posted(100);
    await search('{}');
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
    clock.advance(10_000);
    await Promise.all(responses);
  });
});

describe('search response', () => {
  it('returns both callbacks unchanged, with the time of each', async () => {
    const host = await serveSearch();
    const response = host.search();
    await host.posted(2);
    const moa = onSearch(moaId, { price: 10.5 }).replace('10.5', '10.50');
    host.clock.advance(2304);
    await host.callBack(moa);
    host.clock.advance(6);
    await host.callBack(onSearch(mhId));
    const { status, headers, text } = await response;
    expect([status, headers]).toMatchObject([
      200,
      {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        vary: 'Accept',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      },
    ]);
    expect(text).toBe(
      `{"elapsed_ms":2310,"moa":${moa},"mh":${onSearch(mhId)},"traces":` +
        `{"moa":{"transaction_id":"${moaId}","elapsed_ms":2304,"label":"The moa network"},` +
        `"mh":{"transaction_id":"${mhId}","elapsed_ms":2310,"label":"The mh network"}}}`,
    );
    expect(host.clock.scheduled).toBe(0);
    expect(await host.counted()).toEqual({ pending: 0, delivered: 2 });
  });

  it('sends the trimmed query to every network', async () => {
    const host = await serveSearch({ script: { moa: refused, mh: refused } });
    await host.search(JSON.stringify({ persona: ' member ', query: ' Zähne 漢 ', user_id: ' u ', extra: 1 }));
    expect(host.posts.map(({ leg, envelope }) => [leg.id, envelope.message.intent.item.descriptor.name])).toEqual([
      ['moa', 'Zähne 漢'],
      ['mh', 'Zähne 漢'],
    ]);
  });

  it('returns the error of a failed leg next to the delivered one', async () => {
    const host = await serveSearch({ script: { moa: acknowledged, mh: refused } });
    const response = host.search();
    await host.posted(2);
    await host.callBack(onSearch(moaId));
    expect((await response).text).toBe(
      `{"elapsed_ms":0,"moa":${onSearch(moaId)},"mh":null,` +
        '"errors":{"mh":{"kind":"bap_unreachable","detail":"the network responded with 500"}},"traces":' +
        `{"moa":{"transaction_id":"${moaId}","elapsed_ms":0,"label":"The moa network"},` +
        `"mh":{"transaction_id":"${mhId}","elapsed_ms":0,"label":"The mh network"}}}`,
    );
  });

  it('returns 200 if every leg failed', async () => {
    const host = await serveSearch({ script: { moa: acknowledged, mh: refused } });
    const response = host.search();
    await host.posted(2);
    expect(await host.counted()).toEqual({ pending: 1 });
    host.clock.advance(9_999);
    expect(await host.counted()).toEqual({ pending: 1 });
    host.clock.advance(1);
    const { status, json } = await response;
    expect([status, json]).toEqual([
      200,
      {
        elapsed_ms: 10_000,
        moa: null,
        mh: null,
        errors: {
          moa: { kind: 'timeout', detail: 'no callback within 10000 ms' },
          mh: { kind: 'bap_unreachable', detail: 'the network responded with 500' },
        },
        traces: {
          moa: { transaction_id: moaId, elapsed_ms: 10_000, label: 'The moa network' },
          mh: { transaction_id: mhId, elapsed_ms: 0, label: 'The mh network' },
        },
      },
    ]);
  });

  it('responds immediately if the acknowledgements contain the catalogs', async () => {
    const catalog = ok({ outcome: 'catalog', callback: toJson({ message: { catalog: {} } }) } as const);
    const host = await serveSearch({ legs: [aLeg('moa')], script: { moa: catalog } });
    expect((await host.search()).json).toMatchObject({ elapsed_ms: 0, moa: { message: { catalog: {} } } });
  });

  it('returns all configured legs, whatever their ids', async () => {
    const ids = ['constructor', 'b', 'a_1-X'];
    const host = await serveSearch({
      legs: ids.map((id) => aLeg(id)),
      script: Object.fromEntries(ids.map((id) => [id, refused])),
    });
    const { json } = await host.search();
    const response = json as { readonly errors: object; readonly traces: object };
    expect(Object.keys(response)).toEqual(['elapsed_ms', ...ids, 'errors', 'traces']);
    expect([Object.keys(response.errors), Object.keys(response.traces)]).toEqual([ids, ids]);
  });

  it('responds after the configured timeout', async () => {
    const host = await serveSearch({ timeoutMs: 50 });
    const response = host.search();
    await host.posted(2);
    host.clock.advance(50);
    expect((await response).json).toMatchObject({ elapsed_ms: 50, errors: { moa: { kind: 'timeout' } } });
  });

  it('returns only callbacks of the same search', async () => {
    const host = await serveSearch({ legs: [aLeg('moa')] });
    const first = host.search();
    await host.posted(1);
    const second = host.search();
    await host.posted(2);
    const [firstId, secondId] = host.posts.map(({ envelope }) => envelope.context.transaction_id);
    await host.callBack(onSearch(secondId!, { for: 'second' }));
    await host.callBack(onSearch(firstId!, { for: 'first' }));
    expect([(await first).json, (await second).json]).toMatchObject([
      { moa: { message: { catalog: { for: 'first' } } } },
      { moa: { message: { catalog: { for: 'second' } } } },
    ]);
  });
});

describe('rejected searches', () => {
  const good = { persona: 'member', query: 'dental', user_id: 'u-1' };
  const inPersona = { path: '/persona', message: expect.stringContaining('1 to 64 characters') as string };
  const inQuery = { path: '/query', message: expect.stringContaining('1 to 256 characters') as string };
  const inUser = { path: '/user_id', message: expect.stringContaining('1 to 128 characters') as string };

  it.each<[string, unknown, readonly object[]]>([
    ['an empty object', {}, [inPersona, inQuery, inUser]],
    ['a list', [good], [inPersona, inQuery, inUser]],
    ['null', null, [inPersona, inQuery, inUser]],
    ['no query', { persona: 'member', user_id: 'u-1' }, [inQuery]],
    ['white space as the persona', { ...good, persona: ' \t\n ' }, [inPersona]],
    ['a persona that is too long', { ...good, persona: 'x'.repeat(65) }, [inPersona]],
    ['a query that is too long', { ...good, query: 'x'.repeat(257) }, [inQuery]],
    ['a user_id that is too long', { ...good, user_id: 'x'.repeat(129) }, [inUser]],
    ['a user_id that is a number', { ...good, user_id: 1 }, [inUser]],
    ['a null query and a list as the persona', { ...good, query: null, persona: ['member'] }, [inPersona, inQuery]],
  ])('returns 400 with every error for %s', async (_, body, errors) => {
    const host = await serveSearch();
    const { status, headers, json } = await host.search(JSON.stringify(body));
    expect(status).toBe(400);
    expect(headers).toMatchObject({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
    expect(json).toEqual({
      type: 'urn:portico:problem:invalid-request',
      title: 'The request is not valid',
      status: 400,
      detail: expect.any(String) as string,
      code: 'invalid-request',
      requestId: headers['x-request-id'],
      errors,
    });
    expect(host.posts).toEqual([]);
  });

  it('accepts fields of the maximum length', async () => {
    const host = await serveSearch({ script: { moa: refused, mh: refused } });
    const longest = { persona: 'x'.repeat(64), query: ` ${'x'.repeat(256)} `, user_id: 'x'.repeat(128) };
    expect((await host.search(JSON.stringify(longest))).status).toBe(200);
  });

  it('returns 400 for a persona that is not configured', async () => {
    const host = await serveSearch({ personas: ['agent', 'broker'], script: { moa: refused, mh: refused } });
    expect((await host.search()).json).toMatchObject({
      code: 'invalid-request',
      errors: [{ path: '/persona', message: expect.stringContaining('agent, broker') as string }],
    });
    expect((await host.search(JSON.stringify({ ...good, persona: 'broker' }))).status).toBe(200);
  });

  it.each(['', '{"persona":', 'persona=member', '\uFEFF{}'])('returns 400 for invalid JSON: %j', async (body) => {
    const host = await serveSearch();
    const { status, json } = await host.search(body);
    expect([status, json]).toMatchObject([
      400,
      { code: 'invalid-request', errors: [{ path: '', message: 'must be valid JSON in UTF-8' }] },
    ]);
  });

  it('returns 413 for a body that is too large', async () => {
    const host = await serveSearch({ script: { moa: refused, mh: refused } });
    expect((await host.search(aSearch.padEnd(262_144))).status).toBe(200);
    const { status, json } = await host.search(aSearch.padEnd(262_145), { connection: 'keep-alive' });
    expect([status, json]).toMatchObject([413, { code: 'too-large' }]);
    const small = await serveSearch({ maxRequestBytes: aSearch.length - 1 });
    expect((await small.search(aSearch, { connection: 'keep-alive' })).status).toBe(413);
    expect(small.posts).toEqual([]);
  });

  it.each([
    ['a form', aSearch, { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', aSearch, { 'content-type': 'text/plain' }],
    ['a patch', aSearch, { 'content-type': 'application/merge-patch+json' }],
    ['JSON in another character set', aSearch, { 'content-type': 'application/json; charset=latin1' }],
    ['compressed JSON', gzipSync(aSearch), { 'content-encoding': 'gzip' }],
  ])('returns 415 for %s', async (_, body, headers: Record<string, string>) => {
    const host = await serveSearch();
    const { status, json } = await host.search(body, headers);
    expect([status, json]).toMatchObject([415, { code: 'unsupported-media-type' }]);
  });

  it('returns 503 with Retry-After if too many legs are pending', async () => {
    const host = await serveSearch({ maxPending: 3, timeoutMs: 2500 });
    const first = host.search();
    await host.posted(2);
    const { status, headers, json } = await host.search();
    expect([status, headers['retry-after'], headers['cache-control']]).toEqual([503, '3', 'no-store']);
    expect(json).toMatchObject({ code: 'overloaded', status: 503 });
    await host.callBack(onSearch(moaId));
    const second = host.search();
    await host.posted(4);
    host.clock.advance(2500);
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
  });

  it.each([
    ['invalid', '{}', 400, 'invalid-request', {}],
    ['not JSON', '{', 400, 'invalid-request', {}],
    ['beyond the limit', aSearch, 503, 'overloaded', { maxPending: 1 }],
  ])(
    'returns problem details instead of an event stream if the search is %s',
    async (_, body, status, code, settings) => {
      const host = await serveSearch(settings);
      const response = await host.search(body, { accept: 'text/event-stream' });
      expect([response.status, response.headers['content-type']]).toEqual([status, 'application/problem+json']);
      expect(response.json).toMatchObject({ code });
    },
  );
});

describe('search event stream', () => {
  it('starts the event stream before any leg has settled', async () => {
    const host = await serveSearch();
    const { headers } = await host.listen();
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'Accept',
      'x-accel-buffering': 'no',
    });
    expect(await host.counted()).toEqual({ pending: 2 });
  });

  it('sends each leg as it settles, then the whole response', async () => {
    const host = await serveSearch();
    const events = await host.listen();
    host.clock.advance(1500);
    await host.callBack(onSearch(mhId));

    const faster = await events.next();
    expect(faster?.name).toBe('leg');
    expect(JSON.parse(faster?.data ?? '')).toEqual({
      leg: 'mh',
      result: JSON.parse(onSearch(mhId)) as unknown,
      trace: { transaction_id: mhId, elapsed_ms: 1500, label: 'The mh network' },
    });
    expect(await host.counted()).toEqual({ pending: 1, delivered: 1 });

    host.clock.advance(8500);
    const slower = await events.next();
    expect(slower?.name).toBe('leg');
    expect(JSON.parse(slower?.data ?? '')).toEqual({
      leg: 'moa',
      result: null,
      error: { kind: 'timeout', detail: 'no callback within 10000 ms' },
      trace: { transaction_id: moaId, elapsed_ms: 10_000, label: 'The moa network' },
    });

    const done = await events.next();
    expect(done?.name).toBe('done');
    expect(JSON.parse(done?.data ?? '')).toEqual({
      elapsed_ms: 10_000,
      moa: null,
      mh: JSON.parse(onSearch(mhId)) as unknown,
      errors: { moa: { kind: 'timeout', detail: 'no callback within 10000 ms' } },
      traces: {
        moa: { transaction_id: moaId, elapsed_ms: 10_000, label: 'The moa network' },
        mh: { transaction_id: mhId, elapsed_ms: 1500, label: 'The mh network' },
      },
    });
    expect(await events.next()).toBeUndefined();
    expect(host.clock.scheduled).toBe(0);
  });

  it.each([
    ['line feeds', '\n'],
    ['carriage returns', '\r'],
    ['carriage returns with line feeds', '\r\n'],
    ['empty lines', '\n\n'],
  ])('preserves a callback with line breaks in the event stream: %s', async (_, lineEnd) => {
    const host = await serveSearch({ legs: [aLeg('moa')] });
    const events = await host.listen();
    const callback = onSearch(moaId, { name: 'a\nb\u2028漢', price: 'event: done\n\ndata: x' });
    await host.callBack(callback.replaceAll('\n', lineEnd));
    const [leg, done] = [await events.next(), await events.next()];
    expect(JSON.parse(leg?.data ?? '')).toMatchObject({ result: JSON.parse(callback) as unknown });
    expect(JSON.parse(done?.data ?? '')).toMatchObject({ moa: JSON.parse(callback) as unknown });
    expect(await events.next()).toBeUndefined();
  });

  it('is not larger than a callback that consists of line breaks, except for its own fields', async () => {
    const host = await serveSearch({ legs: [aLeg('moa')] });
    const searching = host.search(aSearch, { accept: 'text/event-stream' });
    await host.posted(1);
    const callback = onSearch(moaId) + '\r\n'.repeat(100_000);
    await host.callBack(callback);
    const { body } = await searching;
    // Once in the event `leg`, and once in `done`.
    expect(body.length).toBeLessThan(2 * callback.length + 1000);
  });

  it('sends all events if every leg has settled before the stream starts', async () => {
    const host = await serveSearch({ script: { moa: refused, mh: refused } });
    const events = await host.listen();
    const names = [await events.next(), await events.next(), await events.next(), await events.next()];
    expect(names.map((event) => event?.name)).toEqual(['leg', 'leg', 'done', undefined]);
  });

  it.each([
    ['text/event-stream', true],
    ['text/event-stream, application/json;q=0.5', true],
    ['text/event-stream, */*;q=0.1', true],
    ['*/*', false],
    ['application/json', false],
    ['application/json, text/event-stream', false],
    ['text/html', false],
    [undefined, false],
  ])('selects the event stream by the Accept header %s: %s', async (accept, streams) => {
    const host = await serveSearch({ script: { moa: refused, mh: refused } });
    const { headers } = await host.search(aSearch, accept === undefined ? {} : { accept });
    expect(headers['content-type']).toBe(`${streams ? 'text/event-stream' : 'application/json'}; charset=utf-8`);
  });
});

/** Opens a connection with a pending search. */
const startSearch = async (host: Awaited<ReturnType<typeof serveSearch>>, accept: string) => {
  const socket = await openSocket(host.port);
  socket.write(rawSearch(`Accept: ${accept}\r\n`));
  await host.posted(2);
  return socket;
};

describe('client that disconnects', () => {
  it.each(['application/json', 'text/event-stream'])(
    'cancels every leg when the client disconnects, with Accept: %s',
    async (accept) => {
      const host = await serveSearch();
      const socket = await startSearch(host, accept);
      if (accept === 'text/event-stream') await once(socket, 'data');
      expect(await host.counted()).toEqual({ pending: 2 });
      socket.destroy();
      await host.cancelled();
      expect(await host.counted()).toEqual({ pending: 0 });
      expect(host.clock.scheduled).toBe(0);

      expect((await host.callBack(onSearch(moaId))).status).toBe(200);
      expect((await host.callBack(onSearch(mhId))).status).toBe(200);
      expect(await host.counted()).toEqual({ pending: 0, late: 2 });
      expect(host.errors).toEqual([]);
    },
  );

  it('cancels unacknowledged posts when the client disconnects', async () => {
    const host = await serveSearch({ script: {} });
    const socket = await startSearch(host, 'application/json');
    socket.destroy();
    await host.cancelled();
    expect(host.posts.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(await host.counted()).toEqual({ pending: 0 });
  });

  it('cancels only pending legs when the client disconnects after some events', async () => {
    const host = await serveSearch();
    const events = await host.listen();
    await host.callBack(onSearch(mhId));
    expect((await events.next())?.name).toBe('leg');
    events.disconnect();
    await expect.poll(async () => (await host.counted()).pending, { interval: 1 }).toBe(0);
    expect(host.posts.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    await host.callBack(onSearch(mhId));
    await host.callBack(onSearch(moaId));
    expect(await host.counted()).toEqual({ pending: 0, delivered: 1, duplicate: 1, late: 1 });
    expect(host.clock.scheduled).toBe(0);
    expect(host.errors).toEqual([]);
  });

  it('keeps other searches running when a client disconnects', async () => {
    const host = await serveSearch();
    const socket = await startSearch(host, 'application/json');
    const other = host.search();
    await host.posted(4);
    socket.destroy();
    await expect.poll(async () => (await host.counted()).pending, { interval: 1 }).toBe(2);
    for (const { envelope } of host.posts.slice(2)) await host.callBack(onSearch(envelope.context.transaction_id));
    expect((await other).json).not.toHaveProperty('errors');
  });
});

/** A foreign Koa app that mounts these routes before its own. */
const hosting = (routes: Koa.Middleware) =>
  listening(
    createHttpServer(
      new Koa()
        .use(routes)
        .use((ctx) => {
          ctx.body = `foreign: ${ctx.path}`;
        })
        .callback(),
    ),
    { isForeign: ({ text }) => text.startsWith('foreign: ') },
  );

describe('mounted search routes', () => {
  it('supports separate hosts for clients and for sellers', async () => {
    const { use, posted } = searchFakes();
    const searchHost = clientOf(await hosting(searchRoutes(use)));
    const callbackHost = clientOf(await hosting(callbackRoutes(use, { version: '1.2.3' })));
    const response = searchHost.search();
    await posted(2);
    expect(await callbackHost.counted()).toEqual({ pending: 2 });
    for (const id of [moaId, mhId]) await callbackHost.callBack(onSearch(id));
    expect((await response).json).toMatchObject({ moa: { context: {} }, mh: { context: {} } });

    expect((await searchHost.callBack(onSearch(moaId))).text).toBe('foreign: /on_search');
    expect((await callbackHost.search()).text).toBe('foreign: /api/search');
    expect(await callbackHost.counted()).toEqual({ pending: 0, delivered: 2 });
  });

  it.each(['/', '/api', '/api/search/', '/api/Search', '/api/legs', '/health', '/on_search', '/me/coverage'])(
    'passes %s to the next middleware on the search host',
    async (path) => {
      const port = await hosting(searchRoutes(searchFakes().use));
      expect((await send(port, 'GET', path)).text).toBe(`foreign: ${path}`);
    },
  );

  it.each(['/', '/health/', '/api/legs/', '/Health', '/on_search/x', '/on_searching', '/api/search'])(
    'passes %s to the next middleware on the callback host',
    async (path) => {
      const port = await hosting(callbackRoutes(searchFakes().use));
      expect((await send(port, 'GET', path)).text).toBe(`foreign: ${path}`);
    },
  );
});

/** Sends a request over HTTP/2. */
const post = (client: ClientHttp2Session, path: string, body: string, headers = {}): ClientHttp2Stream => {
  const head = { ':method': 'POST', ':path': path, 'content-type': 'application/json' };
  const stream = client.request({ ...head, ...headers });
  stream.end(body);
  return stream;
};

const done = async (stream: ClientHttp2Stream) => {
  stream.resume();
  await once(stream, 'close');
};

describe('client that reads slowly', () => {
  /** Two of these are more than the buffers between server and client take while nothing is read. */
  const large = { filler: 'x'.repeat(7 * 1024 * 1024) };

  const limits = { maxUnsentBytes: 10 * 1024 * 1024, maxCallbackBytes: 8 * 1024 * 1024 };

  /** A search whose response, with two large catalogs, is ready but not read. */
  const unread = async (headers = '') => {
    const host = await serveSearch(limits);
    const socket = await openSocket(host.port);
    socket.pause();
    socket.write(rawSearch(headers));
    await host.posted(2);
    await host.callBack(onSearch(moaId, large));
    await host.callBack(onSearch(mhId, large));
    return { ...host, socket };
  };

  it.each([
    ['a JSON response', ''],
    ['an event stream', 'Accept: text/event-stream\r\n'],
  ])('cuts the unread response for a new search when memory is full: %s', async (_, headers) => {
    const { search, posted, socket, clock } = await unread(headers);
    const closed = once(socket, 'close');
    const searching = search();
    await posted(4);
    clock.advance(10_000);
    expect((await searching).status).toBe(200);
    socket.resume();
    await closed;
    expect(socket.bytesRead).toBeLessThan(14 * 1024 * 1024);
  });

  it('cuts no response for a search that is not valid', async () => {
    const { search, socket } = await unread();
    expect((await search('{}')).status).toBe(400);
    socket.resume();
    await expect.poll(() => socket.bytesRead).toBeGreaterThan(14 * 1024 * 1024);
  });

  it('cuts no response when searches in progress fill the memory, and refuses new ones', async () => {
    const legs = ['one', 'two', 'three'].map((id) => aLeg(id));
    const host = await serveSearch({ legs, ...limits });
    const [ended, running] = [await openSocket(host.port), await openSocket(host.port)];
    for (const [nth, socket] of [ended, running].entries()) {
      socket.pause();
      socket.write(rawSearch());
      await host.posted(3 * (nth + 1));
    }
    const ids = host.posts.map(({ envelope }) => envelope.context.transaction_id);
    for (const nth of [0, 1, 3, 4]) await host.callBack(onSearch(ids[nth]!, large));
    await host.callBack(onSearch(ids[2]!));
    const refused = await host.search();
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    ended.resume();
    await expect.poll(() => ended.bytesRead).toBeGreaterThan(14 * 1024 * 1024);
    host.clock.advance(10_000);
  });

  it('frees the memory of a response that waits for its turn on the connection, by closing the connection', async () => {
    const host = await serveSearch(limits);
    const socket = await openSocket(host.port);
    const closed = once(socket, 'close');
    socket.write(rawSearch().repeat(2));
    await host.posted(4);
    const ids = host.posts.map(({ envelope }) => envelope.context.transaction_id);
    for (const id of ids.slice(2)) await host.callBack(onSearch(id, large));
    const searching = host.search();
    await closed;
    await host.posted(6);
    host.clock.advance(10_000);
    expect((await searching).status).toBe(200);
  });

  it.each(['application/json', 'text/event-stream'])(
    'shows a client of HTTP/2 that its response was cut: %s',
    async (accept) => {
      const fakes = searchFakes();
      const server = createServer(fakes.use, { ...limits, server: createHttp2Server() });
      const port = await listening(server);
      // Two connections: the unread response takes the whole window of its own.
      const [reader, other] = [0, 1].map(() => connect(`http://127.0.0.1:${port}`)) as [
        ClientHttp2Session,
        ClientHttp2Session,
      ];
      onTestFinished(() => [reader, other].forEach((client) => client.destroy()));
      const slow = post(reader, '/api/search', aSearch, { accept });
      const failed = once(slow, 'error');
      await fakes.posted(2);
      for (const { envelope } of fakes.posts.slice(0, 2))
        await done(post(other, '/on_search', onSearch(envelope.context.transaction_id, large)));
      const next = post(other, '/api/search', aSearch);
      await fakes.posted(4);
      fakes.clock.advance(10_000);
      await done(next);
      slow.resume();
      expect(await failed).toMatchObject([{ code: 'ERR_HTTP2_STREAM_ERROR' }]);
    },
  );

  it('refuses new searches while another leg waits and the errors of sellers are kept', async () => {
    const legs = [aLeg('moa'), aLeg('mh', { callbacks: { count: 2 } })];
    const host = await serveSearch({ legs, maxUnsentBytes: 100_000 });
    const searching = host.search();
    await host.posted(2);
    for (const seller of ['one', 'two']) {
      const context = { action: 'on_search', transaction_id: mhId, bpp_id: seller };
      // Two bytes each.
      const error = { code: '30001', message: 'é'.repeat(25_000) };
      await host.callBack(JSON.stringify({ context, error }));
    }
    expect(await host.counted()).toEqual({ pending: 1, delivered: 2 });
    expect((await host.search()).status).toBe(503);
    await host.callBack(onSearch(moaId));
    await searching;
  });

  it('creates events one at a time as a slow client reads', async () => {
    const legs = Array.from({ length: 20 }, (_, nth) => aLeg(`leg-${nth}`));
    const host = await serveSearch({ legs });
    let reads = 0;
    /** The same outcome with a count of reads of its text: once for the size limit and once per event. */
    const counted = (outcome: LegOutcome): LegOutcome =>
      'callback' in outcome
        ? {
            ...outcome,
            callback: {
              value: undefined,
              get text() {
                reads++;
                return large;
              },
            },
          }
        : outcome;
    async function* eventsWith(events: AsyncIterable<SearchEvent>): AsyncGenerator<SearchEvent> {
      for await (const event of events)
        yield event.type === 'leg' ? { ...event, outcome: counted(event.outcome) } : event;
    }
    const large = JSON.stringify({ filler: 'x'.repeat(2 * 1024 * 1024) });
    const search: Search = (...request) =>
      host.use.search(...request).map((running) => {
        const settling = running.legs.map((leg) => leg.then(counted));
        return {
          legs: settling,
          events: eventsWith(running.events),
          response: Promise.all(settling).then((outcomes) => ({ elapsedMs: 0, legs: outcomes })),
        };
      });
    const port = await listening(createServer({ ...host.use, search }));
    const socket = await openSocket(port);
    socket.pause();
    socket.write(rawSearch('Accept: text/event-stream\r\n'));
    await host.posted(20);
    for (const { envelope } of host.posts) await host.callBack(onSearch(envelope.context.transaction_id));
    await expect.poll(() => reads).toBeGreaterThan(20);
    // All 20 are delivered. The sockets buffer a few of the 2 MiB events; the others are not created yet.
    expect(reads).toBeLessThan(20 + 10);
    socket.resume();
    await expect.poll(() => reads).toBe(20 + 20 + 20);
    socket.destroy();
  });
});
