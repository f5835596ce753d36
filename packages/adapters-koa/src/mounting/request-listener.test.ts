import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Koa, { type Middleware } from 'koa';
import { describe, expect, it } from 'vitest';
import { listening } from '../server/portal.test.support.ts';
import { requestListener } from './request-listener.ts';

const listen = (listener: RequestListener): Promise<number> => listening(createServer(listener));

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

  it('ends the response, and not the process, when a stream fails before the turn ends', async () => {
    const failure = new Error('x');
    const errors: unknown[] = [];
    const failing: Middleware = async (ctx) => {
      await nextTurn();
      const stream = new Readable({ read: () => {} });
      ctx.body = stream;
      process.nextTick(() => stream.destroy(failure));
    };
    expect(await exchange(requestListener(appOf(failing, errors)), 'GET')).not.toMatch(/^HTTP\/1\.1 200 /);
    expect(new Set(errors)).toEqual(new Set([failure]));
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

  /** Two requests that are complete in the same turn. Records when each response is ended. */
  const together = async (onEnd: (path: string) => void, order: string[] = []): Promise<readonly string[]> => {
    const both = Promise.withResolvers<void>();
    let open = 0;
    const listener = requestListener(
      appOf(async (ctx) => {
        const { end } = ctx.res;
        ctx.res.end = ((body: string) => {
          order.push(`end ${ctx.path}`);
          onEnd(ctx.path);
          return end.call(ctx.res, body, 'utf8');
        }) as typeof end;
        if (++open === 2) both.resolve();
        await both.promise;
        // The second one takes a few steps more.
        for (let step = 0; ctx.path === '/2' && step < 100; step++) await Promise.resolve();
        order.push(`complete ${ctx.path}`);
        ctx.body = ctx.path;
      }),
    );
    const port = await listen((request, response) => context.run(request.url!, () => listener(request, response)));
    const send = async (path: string): Promise<string> => {
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      return (await text(socket)).replace(/^[^]*\r\n/, '');
    };
    return Promise.all(['/1', '/2'].map(send));
  };
  const context = new AsyncLocalStorage<string>();

  it('sends the responses that are complete in one turn after the last of them', async () => {
    const order: string[] = [];
    expect(await together(() => {}, order)).toEqual(['/1', '/2']);
    expect(order).toEqual(['complete /1', 'complete /2', 'end /1', 'end /2']);
  });

  it('sends each response in the asynchronous context of its request', async () => {
    const contexts: unknown[] = [];
    await together((path) => contexts.push([path, context.getStore()]));
    expect(contexts).toEqual([
      ['/1', '/1'],
      ['/2', '/2'],
    ]);
  });

  it('sends the other responses of a turn if sending one throws', async () => {
    const ended: string[] = [];
    const [first, second] = await together((path) => {
      if (path === '/1' && ended.push(path) === 1) throw new Error('private');
    });
    expect(first).toBe('Internal Server Error');
    expect(second).toBe('/2');
  });
});
