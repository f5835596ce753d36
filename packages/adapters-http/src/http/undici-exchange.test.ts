import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import type { BodyWatch } from './body-stream.ts';
import { closedPort, describeOnce, httpServer, tcpServer } from './local-servers.test.support.ts';
import type { HttpRequest } from './transport.ts';
import { pooledTransport } from './undici-transport.ts';

const send = (url: string, request: Partial<HttpRequest> = {}, transport = pooledTransport()) =>
  transport({ method: 'GET', url, ...request });

/** Observes a stream: its error is `broken`. */
const watch: BodyWatch = {
  wait: () => {},
  stopWaiting: () => {},
  done: () => {},
  streamError: () => new Error('broken'),
};

const head = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n';

/** A server that sends these bytes and then closes the connection, or resets it. */
const closingServer = (text: string, how: 'end' | 'resetAndDestroy' = 'end') =>
  tcpServer((socket) => socket.write(text, () => setImmediate(() => socket[how]())));

/** An exchange that has received everything there is before its body is read. */
const received = async (text: string, how: 'end' | 'resetAndDestroy' = 'end') => {
  const server = await tcpServer((socket) => socket.write(text));
  const exchange = send(server.url);
  await exchange.head;
  server.sockets[0]?.[how]();
  await server.until(() => server.open === 0);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  return exchange;
};

/** Requests a body of several chunks. Returns the body and those chunks. */
const joined = async (onTestFinished: (run: () => void) => void) => {
  const server = await httpServer((response) => response.end(Buffer.alloc(300_000, 'x')));
  const concat = vi.spyOn(Buffer, 'concat');
  onTestFinished(() => concat.mockRestore());
  const body = await send(server.url).bytes(300_000);
  const chunks = concat.mock.calls.map(([list]) => list).find((list) => list.length > 1) ?? [];
  return { body: String(body), chunks };
};

/** Messages of undici's diagnostics channels. */
interface Published {
  readonly chunk?: Uint8Array;
  readonly response?: { readonly headers: readonly Uint8Array[] };
}

/** Keeps the memory in the first message of a channel. */
const keepFirst = (name: string, memoryOf: (message: Published) => readonly Uint8Array[]): readonly Uint8Array[] => {
  const kept: Uint8Array[] = [];
  const onMessage = (message: unknown) => {
    kept.push(...memoryOf(message as Published));
    unsubscribe(name, onMessage);
  };
  subscribe(name, onMessage);
  return kept;
};

describeOnce('a request from the pool', () => {
  it('has the method, path, headers and body of the request', async () => {
    const server = await httpServer((response) => response.end());
    await send(server.url).head;
    await send(`${server.url}/`).head;
    await send(`${server.url}/a/b?c=http://d/`).head;
    await send(server.url, { method: 'POST', headers: { 'x-api-key': 'k', tenant: '7' }, body: 'text' }).head;
    expect(server.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['GET', '/', ''],
      ['GET', '/', ''],
      ['GET', '/a/b?c=http://d/', ''],
      ['POST', '/', 'text'],
    ]);
    expect(server.requests[3]?.headers).toMatchObject({ 'x-api-key': 'k', tenant: '7', 'accept-encoding': 'identity' });
    expect(server.requests[0]?.headers).not.toHaveProperty('content-length');
  });

  it('waits for a free connection, and is never sent when it is aborted before', async () => {
    const held: (() => void)[] = [];
    const server = await httpServer((response) => held.push(() => response.end()));
    const transport = pooledTransport({ connections: 1 });
    const first = send(server.url, {}, transport);
    await server.until(() => server.requests.length === 1);
    const second = send(`${server.url}/second`, {}, transport);
    const third = send(`${server.url}/third`, {}, transport);
    second.abort();
    await expect(second.head).rejects.toThrow(/^The exchange was aborted\.$/);
    held[0]?.();
    await first.bytes(1);
    await server.until(() => server.requests.length === 2);
    held[1]?.();
    expect((await third.head).status).toBe(200);
    expect(server.requests.map(({ path }) => path)).toEqual(['/', '/third']);
  });
});

describeOnce('the head of a response', () => {
  it('has each header by its name, repeated ones joined', async () => {
    const server = await httpServer((response) => {
      response.setHeader('x-one', 'a');
      response.setHeader('x-many', ['a', 'b', 'c']);
      response.writeHead(404).end();
    });
    const { status, header } = await send(server.url).head;
    expect([status, header('x-one'), header('x-many'), header('x-none')]).toEqual([404, 'a', 'a, b, c', undefined]);
  });

  it('is that of the final response, not of an interim one', async () => {
    const server = await closingServer(`HTTP/1.1 103 Early Hints\r\nlink: </canary>\r\n\r\n${head}1234567890`);
    const exchange = send(server.url);
    const { status, header } = await exchange.head;
    expect([status, header('link'), exchange.hasStarted]).toEqual([200, undefined, true]);
    expect(String(await exchange.bytes(10))).toBe('1234567890');
  });

  it('rejects without a connection, and the response has not started', async () => {
    const exchange = send((await closedPort()).url);
    await expect(exchange.head).rejects.toThrow(expect.objectContaining({ code: 'ECONNREFUSED' }));
    expect(exchange.hasStarted).toBe(false);
  });

  it.each([
    ['', false],
    ['HTTP/1.1 200 OK\r\n', true],
  ])('rejects when the connection breaks after %j: the response has started: %s', async (text, hasStarted) => {
    const exchange = send((await closingServer(text)).url);
    await expect(exchange.head).rejects.toThrow(expect.objectContaining({ code: 'UND_ERR_SOCKET' }));
    expect(exchange.hasStarted).toBe(hasStarted);
  });

  it('rejects when the exchange is aborted, and the connection is closed', async () => {
    const server = await httpServer(() => {});
    const exchange = send(server.url);
    await server.until(() => server.requests.length === 1);
    exchange.abort();
    exchange.abort();
    await expect(exchange.head).rejects.toThrow(/^The exchange was aborted\.$/);
    await server.until(() => server.open === 0);
  });
});

describeOnce('the whole body', () => {
  it.each([
    ['is requested before it arrives', false],
    ['has arrived before', true],
  ])('is returned up to the limit when it %s', async (_, isEarly) => {
    for (const [limit, expected] of [
      [11, '1234567890'],
      [10, '1234567890'],
      [9, undefined],
    ] as const) {
      const text = `${head}1234567890`;
      const exchange = isEarly ? await received(text) : send((await closingServer(text)).url);
      expect((await exchange.bytes(limit))?.toString()).toBe(expected);
    }
  });

  it('is empty when there is none', async () => {
    const server = await httpServer((response) => response.writeHead(204).end());
    expect(await send(server.url).bytes(0)).toEqual(Buffer.alloc(0));
  });

  it('is joined from chunks of any size, also when it is read late', async () => {
    const body = Buffer.alloc(300_000, '0123456789');
    const server = await httpServer((response) => {
      for (let at = 0; at < body.length; at += 50_000) response.write(body.subarray(at, at + 50_000));
      response.end();
    });
    for (const turns of [0, 20]) {
      const exchange = send(server.url);
      await exchange.head;
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      expect((await exchange.bytes(300_000))?.equals(body)).toBe(true);
    }
  });

  it('frees the memory of its chunks when they have been joined', async ({ onTestFinished }) => {
    const { body, chunks } = await joined(onTestFinished);
    expect(body).toBe('x'.repeat(300_000));
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.filter((chunk) => chunk.length > 0)).toEqual([]);
  });

  it('leaves memory that Node shares between small buffers', async ({ onTestFinished }) => {
    const controller = {} as Dispatcher.DispatchController; // unused by a body that is read at once
    const dispatch = vi.spyOn(Pool.prototype, 'dispatch').mockImplementation((_, handler) => {
      for (const part of ['one ', 'two']) handler.onResponseData?.(controller, Buffer.from(part));
      handler.onResponseEnd?.(controller, {});
      return true;
    });
    onTestFinished(() => dispatch.mockRestore());
    expect(String(await send('http://127.0.0.1').bytes(10))).toBe('one two');
  });

  it('leaves its chunks to a subscriber of the channel that undici sends them to', async ({ onTestFinished }) => {
    const kept: Uint8Array[] = [];
    const onChunk = (message: unknown) => kept.push((message as Published).chunk!);
    subscribe('undici:request:bodyChunkReceived', onChunk);
    onTestFinished(() => void unsubscribe('undici:request:bodyChunkReceived', onChunk));
    const { body } = await joined(onTestFinished);
    expect(Buffer.concat(kept).toString()).toBe(body);
  });

  it.for([
    ['chunk', 'undici:request:bodyChunkReceived', ({ chunk }: Published) => [chunk!]],
    ['headers', 'undici:request:headers', ({ response }: Published) => response!.headers],
  ] as const)('leaves the first %s to a subscriber that left before the end', async ([, name, memoryOf], test) => {
    const kept = keepFirst(name, memoryOf);
    await joined(test.onTestFinished);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.filter(({ length }) => length === 0)).toEqual([]);
  });

  it('can be joined twice', async () => {
    const server = await httpServer((response) => response.end(Buffer.alloc(300_000, 'x')));
    const exchange = send(server.url);
    expect(await exchange.bytes(300_000)).toEqual(await exchange.bytes(300_000));
  });

  it('is too large as soon as it exceeds the limit, before it ends', async () => {
    const server = await httpServer((response) => response.write('12345'));
    const exchange = send(server.url);
    expect(await exchange.bytes(4)).toBeUndefined();
    exchange.abort();
    await server.until(() => server.open === 0);
  });

  it.each(['end', 'resetAndDestroy'] as const)('rejects when the connection breaks before its end: %s', async (how) => {
    const cut = `${head}12345`;
    await expect(send((await closingServer(cut, how)).url).bytes(10)).rejects.toThrow();
    const exchange = await received(cut, how);
    await expect(exchange.bytes(10)).rejects.toThrow();
  });

  it('rejects when the exchange is aborted', async () => {
    const server = await httpServer((response) => response.write('12345'));
    const exchange = send(server.url);
    await exchange.head;
    const bytes = exchange.bytes(10);
    exchange.abort();
    await expect(bytes).rejects.toThrow(/^The exchange was aborted\.$/);
  });
});

describeOnce('a streamed body', () => {
  it('has the chunks that arrived before and after it was requested', async () => {
    const responses: (() => void)[] = [];
    const server = await httpServer((response) => {
      response.write('12345');
      responses.push(() => response.end('67890'));
    });
    const exchange = send(server.url);
    await exchange.head;
    const stream = exchange.stream(watch);
    await stream.started();
    responses[0]?.();
    expect(String(Buffer.concat(await stream.toArray()))).toBe('1234567890');
  });

  it('is complete when it had arrived before it was requested', async () => {
    const exchange = await received(`${head}1234567890`);
    expect(String(Buffer.concat(await exchange.stream(watch).toArray()))).toBe('1234567890');
  });

  it('is complete when its connection was closed while a full buffer waited for a slow reader', async () => {
    const text = `HTTP/1.1 200 OK\r\ncontent-length: 65536\r\n\r\n${'x'.repeat(65_536)}`;
    const late = (await received(text)).stream(watch);
    expect(Buffer.concat(await late.toArray())).toHaveLength(65_536);
    const server = await closingServer(text);
    const slow = send(server.url).stream(watch);
    await slow.started();
    await server.until(() => server.open === 0);
    expect(Buffer.concat(await slow.toArray())).toHaveLength(65_536);
  });

  it('a body without a length is complete when its connection was closed, and fails when it was reset', async () => {
    const text = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n12345';
    const complete = send((await closingServer(text)).url).stream(watch);
    expect(String(Buffer.concat(await complete.toArray()))).toBe('12345');
    const cut = send((await closingServer(text, 'resetAndDestroy')).url).stream(watch);
    await expect(cut.toArray()).rejects.toThrow(/^broken$/);
    await expect((await received(text, 'resetAndDestroy')).bytes(10)).rejects.toThrow();
  });

  it('fails with the error of its watch when the connection broke before or breaks later', async () => {
    const before = (await received(`${head}12345`)).stream(watch);
    await expect(before.toArray()).rejects.toThrow(/^broken$/);
    const later = send((await closingServer(`${head}12345`)).url).stream(watch);
    await expect(later.toArray()).rejects.toThrow(/^broken$/);
  });

  it('is larger than what is buffered', async () => {
    const size = 2_000_000;
    const server = await httpServer((response) => response.end(Buffer.alloc(size)));
    const exchange = send(server.url);
    await exchange.head;
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    expect(Buffer.concat(await exchange.stream(watch).toArray())).toHaveLength(size);
  });

  it('closes the connection when it is destroyed before its end, and keeps it open after', async () => {
    const server = await httpServer((response, _, nth) => (nth === 1 ? response.end('1') : response.write('1')));
    const transport = pooledTransport({ connections: 1 });
    const whole = send(server.url, {}, transport).stream(watch);
    await whole.toArray();
    whole.destroy();
    await nextTurn();
    expect(server.open).toBe(1);
    const cut = send(server.url, {}, transport).stream(watch);
    await cut.started();
    cut.destroy();
    await server.until(() => server.open === 0);
    expect(server.connections).toBe(1);
  });
});

describe('the pools of a transport', () => {
  it('are one per origin', async () => {
    const servers = [await httpServer((response) => response.end()), await httpServer((response) => response.end())];
    const transport = pooledTransport({ connections: 1 });
    for (let nth = 0; nth < 3; nth++)
      for (const { url } of servers) {
        await send(`${url}/${nth}`, {}, transport).bytes(1);
        await nextTurn();
      }
    expect(servers.map(({ connections, requests }) => [connections, requests.length])).toEqual([
      [1, 3],
      [1, 3],
    ]);
  });
});

describe('the requests of one turn', () => {
  it('are sent together, in the order in which they were made', async () => {
    const server = await httpServer((response) => response.end());
    const sent: string[] = [];
    const onRequest = (message: unknown) => sent.push((message as { request: { path: string } }).request.path);
    subscribe('undici:request:create', onRequest);
    const exchanges = [send(`${server.url}/1`), send(`${server.url}/2`)];
    expect(sent).toEqual([]);
    await Promise.all(exchanges.map(({ head: started }) => started));
    unsubscribe('undici:request:create', onRequest);
    expect(sent).toEqual(['/1', '/2']);
  });

  it('are each sent in the asynchronous context in which they were made', async () => {
    const server = await httpServer((response) => response.end());
    const context = new AsyncLocalStorage<string>();
    const contexts: unknown[] = [];
    const onRequest = (message: unknown) =>
      contexts.push([(message as { request: { path: string } }).request.path, context.getStore()]);
    subscribe('undici:request:create', onRequest);
    const transport = pooledTransport();
    const exchanges = ['a', 'b'].map((name) => context.run(name, () => send(`${server.url}/${name}`, {}, transport)));
    await Promise.all(exchanges.map(({ head: started }) => started));
    unsubscribe('undici:request:create', onRequest);
    expect(contexts).toEqual([
      ['/a', 'a'],
      ['/b', 'b'],
    ]);
  });

  it('are sent without those that were aborted before', async () => {
    const server = await httpServer((response) => response.end());
    const transport = pooledTransport();
    const aborted = send(`${server.url}/aborted`, {}, transport);
    const other = send(`${server.url}/other`, {}, transport);
    aborted.abort();
    await expect(aborted.head).rejects.toThrow('aborted');
    await other.bytes(1);
    expect(server.requests.map(({ path }) => path)).toEqual(['/other']);
  });

  it('are sent without those that have no valid URL, which fail', async () => {
    const server = await httpServer((response) => response.end());
    const transport = pooledTransport();
    const invalid = send('http://[::/', {}, transport);
    const other = send(server.url, {}, transport);
    await expect(invalid.head).rejects.toThrow();
    expect((await other.head).status).toBe(200);
  });
});
