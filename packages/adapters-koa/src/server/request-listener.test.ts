import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import Koa, { type Middleware } from 'koa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requestListener } from './request-listener.ts';

const listen = async (listener: RequestListener): Promise<number> => {
  const server = createServer(listener);
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
};

const appOf = (middleware: Middleware, errors: unknown[] = []): Koa => {
  const app = new Koa().use(middleware);
  app.on('error', (error) => errors.push(error));
  return app;
};

/** All bytes of the response, without the date. */
const exchange = async (listener: RequestListener, method: string): Promise<string> => {
  const socket = connect(await listen(listener), '127.0.0.1');
  socket.end(`${method} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  return (await text(socket)).replace(/^Date: .*\r\n/m, '');
};

const middlewares: Readonly<Record<string, Middleware>> = {
  'a string': (ctx) => void (ctx.body = 'é'),
  'an empty string': (ctx) => void (ctx.body = ''),
  'a string with its type': (ctx) => {
    ctx.type = 'application/json';
    ctx.body = '{}';
  },
  'a string without its length': (ctx) => {
    ctx.body = 'a';
    ctx.remove('Content-Length');
  },
  'no body': () => {},
  null: (ctx) => void (ctx.body = null),
  'an object': (ctx) => void (ctx.body = { a: 1 }),
  'a buffer': (ctx) => void (ctx.body = Buffer.from('é')),
  'a stream': (ctx) => void (ctx.body = Readable.from(['a', 'b'])),
  'a stream that fails': (ctx) =>
    void (ctx.body = new Readable({ read: () => void (ctx.body as Readable).destroy(new Error('x')) })),
  'a status only': (ctx) => void (ctx.status = 418),
  '304 with a string': (ctx) => {
    ctx.body = 'a';
    ctx.res.statusCode = 304;
  },
  '204 with a string': (ctx) => {
    ctx.body = 'a';
    ctx.res.statusCode = 204;
  },
  '205 with a string': (ctx) => {
    ctx.body = 'a';
    ctx.res.statusCode = 205;
  },
  'an exception': () => {
    throw new Error('private');
  },
  'an exposed exception': (ctx) => ctx.throw(400, 'wrong'),
  'an exception after a body': (ctx) => {
    ctx.body = 'a';
    throw new Error('private');
  },
  'a response of its own': (ctx) => {
    ctx.body = 'ignored';
    ctx.respond = false;
    setImmediate(() => ctx.res.end('own'));
  },
  'a response that it has ended': (ctx) => {
    ctx.body = 'ignored';
    ctx.res.end('own');
  },
};

const listenersOf = (socket: Socket) => socket.eventNames().map((name) => socket.listenerCount(name));

describe('requestListener', () => {
  it.each(Object.keys(middlewares).flatMap((name) => ['GET', 'HEAD'].map((method) => [method, name] as const)))(
    'sends the same bytes as Koa, and reports the same errors: %s, %s',
    async (method, name) => {
      const [own, koas]: [unknown[], unknown[]] = [[], []];
      const byKoa = await exchange(appOf(middlewares[name]!, koas).callback(), method);
      expect(await exchange(requestListener(appOf(middlewares[name]!, own)), method)).toBe(byKoa);
      expect(own).toEqual(koas);
    },
  );

  it('does not end a response again that waits for an earlier one on its connection', async () => {
    const first = Promise.withResolvers<void>();
    const listener = requestListener(
      appOf(async (ctx) => {
        ctx.body = ctx.path;
        if (ctx.path === '/first') return first.promise;
        ctx.res.end('own');
        setImmediate(first.resolve);
        return undefined;
      }),
    );
    const socket = connect(await listen(listener), '127.0.0.1');
    socket.end(['/first', '/second'].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
    expect(await text(socket)).toMatch(/\r\n\/firstHTTP[^]*\r\nown$/);
  });

  it('adds no listener to the connection of a request', async () => {
    const counts: number[][] = [];
    const listener = requestListener(
      appOf((ctx) => {
        counts.push(listenersOf(ctx.req.socket));
        ctx.body = 'a';
      }),
    );
    await exchange((req, res) => {
      counts.push(listenersOf(req.socket));
      listener(req, res);
    }, 'GET');
    expect(counts[1]).toEqual(counts[0]);
  });
});
