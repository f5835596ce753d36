import { describe, expect, it } from 'vitest';
import type { BodyWatch } from './body-stream.ts';
import { kyTransport } from './ky-transport.ts';
import { httpServer, tcpServer } from './local-servers.test.support.ts';
import type { HttpRequest } from './transport.ts';

const send = (url: string, request: Partial<HttpRequest> = {}) =>
  kyTransport(fetch)({ method: 'GET', url, ...request });

/** Observes a stream: its error is `broken`. */
const watch: BodyWatch = {
  wait: () => {},
  stopWaiting: () => {},
  done: () => {},
  streamError: () => new Error('broken'),
};

describe('a request through a custom fetch', () => {
  it('has the method, the headers and the body of the request', async () => {
    const server = await httpServer((response) => response.end());
    await send(server.url, { method: 'PATCH', headers: { 'x-api-key': 'k' }, body: '{"a":1}' }).head;
    await send(`${server.url}/list?a=1`).head;
    await send(server.url, { method: 'DELETE' }).head;
    expect(server.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['PATCH', '/', '{"a":1}'],
      ['GET', '/list?a=1', ''],
      ['DELETE', '/', ''],
    ]);
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['k', undefined, undefined]);
  });

  it('requests no compression', async () => {
    const server = await httpServer((response) => response.end());
    await send(server.url).head;
    expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  it.each([302, 307, 400, 404, 413, 429, 500, 503])('is sent once when the status is %i', async (status) => {
    const server = await httpServer((response) =>
      response.writeHead(status, { location: '/elsewhere', 'retry-after': '0' }).end('body'),
    );
    const exchange = send(server.url);
    expect((await exchange.head).status).toBe(status);
    expect(String(await exchange.bytes(4))).toBe('body');
    expect(server.requests).toHaveLength(1);
  });

  it('returns the headers of the response, and undefined for others', async () => {
    const server = await httpServer((response) => {
      response.setHeader('x-many', ['a', 'b']);
      response.end();
    });
    const { header } = await send(server.url).head;
    expect([header('x-many'), header('x-none')]).toEqual(['a, b', undefined]);
  });

  it('fails before the response when it is aborted, and closes its connection', async () => {
    const server = await httpServer(() => {});
    const exchange = send(server.url);
    await server.until(() => server.requests.length === 1);
    exchange.abort();
    await expect(exchange.head).rejects.toThrow(/abort/i);
    await server.until(() => server.open === 0);
  });

  it('never knows whether a byte of the response has arrived', async () => {
    const server = await httpServer((response) => response.end());
    const exchange = send(server.url);
    await exchange.head;
    expect(exchange.hasStarted).toBe(false);
  });
});

describe('the bytes of a response', () => {
  it('are the whole body, up to the limit', async () => {
    const server = await httpServer((response) => {
      response.write('12345');
      response.end('67890');
    });
    expect(String(await send(server.url).bytes(10))).toBe('1234567890');
    expect(await send(server.url).bytes(9)).toBeUndefined();
  });

  it('are empty when there is no body', async () => {
    const server = await httpServer((response, _, nth) => response.writeHead(nth === 1 ? 204 : 200).end());
    for (let nth = 0; nth < 2; nth++) expect(await send(server.url).bytes(10)).toEqual(Buffer.alloc(0));
  });
});

describe('the stream of a response', () => {
  it('has all chunks, and ends', async () => {
    const server = await httpServer((response) => {
      response.write('12345');
      response.end('67890');
    });
    const stream = send(server.url).stream(watch);
    expect(String(Buffer.concat(await stream.toArray()))).toBe('1234567890');
  });

  it('is empty when there is no body', async () => {
    const server = await httpServer((response) => response.writeHead(204).end());
    expect(await send(server.url).stream(watch).toArray()).toEqual([]);
  });

  it('closes the connection when it is destroyed', async () => {
    const server = await httpServer((response) => response.write('12345'));
    const stream = send(server.url).stream(watch);
    await stream.started();
    stream.destroy();
    await server.until(() => server.open === 0);
  });

  it('fails with the error of its watch when the connection breaks', async () => {
    const server = await tcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\ncanary');
    });
    const stream = send(server.url).stream(watch);
    await stream.started();
    const all = stream.toArray();
    server.sockets[0]?.resetAndDestroy();
    await expect(all).rejects.toThrow(/^broken$/);
  });

  it('fails with the error of its watch when there is no response', async () => {
    const server = await tcpServer((socket) => socket.resetAndDestroy());
    const exchange = send(server.url);
    await expect(exchange.head).rejects.toThrow();
    await expect(exchange.stream(watch).toArray()).rejects.toThrow(/^broken$/);
  });
});

/** A fetch that ignores its signal. It responds with a body that has one chunk and never ends. */
const endless = () => {
  const cancelled = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from('12345')),
    cancel: () => cancelled.resolve(),
  });
  const exchange = kyTransport(async () => new Response(body))({ method: 'GET', url: 'http://127.0.0.1' });
  return { exchange, cancelled: cancelled.promise };
};

describe('a fetch that ignores its signal', () => {
  it('does not delay an abort before the response', async () => {
    const exchange = kyTransport(() => new Promise(() => {}))({ method: 'GET', url: 'http://127.0.0.1' });
    exchange.abort();
    await expect(exchange.head).rejects.toThrow(/abort/i);
  });

  it('does not delay an abort while the body is read, and its body is cancelled', async () => {
    const { exchange, cancelled } = endless();
    const bytes = exchange.bytes(10);
    await exchange.head;
    exchange.abort();
    await expect(bytes).rejects.toThrow(/abort/i);
    await cancelled;
  });

  it('does not delay an abort of a stream, and its body is cancelled', async () => {
    const { exchange, cancelled } = endless();
    const stream = exchange.stream(watch);
    await stream.started();
    exchange.abort();
    await expect(stream.toArray()).rejects.toThrow(/^broken$/);
    await cancelled;
  });
});
