import { once } from 'node:events';
import { createServer, type IncomingMessage, OutgoingMessage, request, ServerResponse } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { Socket } from 'node:net';
import { duplexPair, PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { releaseChunk, type ReleasableContent } from '@portico/core';
import Koa, { type Context, type Middleware } from 'koa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listening } from '../server/portal.test.support.ts';
import { sendDocument } from './send-document.ts';

/** Several fit into the buffer of a connection that is full. */
const chunkBytes = 4096;
const chunkCount = 2000;
const wanted = Buffer.concat(Array.from({ length: chunkCount }, (_, nth) => Buffer.alloc(chunkBytes, nth)));

/** Content that frees released chunks, as the HTTP adapter does. */
class Chunks extends Readable implements ReleasableContent {
  produced = 0;
  released = 0;

  override _read(): void {
    const chunk = Buffer.allocUnsafeSlow(chunkBytes).fill(this.produced);
    this.push(this.produced++ < chunkCount ? chunk : null);
  }

  [releaseChunk]({ buffer: memory }: Uint8Array): void {
    this.released++;
    (memory as ArrayBuffer).transfer(0);
  }
}

/** Sends the content, after the middleware has run. */
const appOf = (content: Chunks, middleware: Middleware, headers = { contentLength: String(wanted.length) }): Koa =>
  new Koa().use(middleware).use((ctx) => {
    sendDocument(ctx, { outcome: 'whole', headers, content }, 'application/pdf', 'DOC-1');
  });

const responseTo = async (app: Koa): Promise<IncomingMessage> => {
  const port = await listening(createServer(app.callback()));
  const [response] = (await once(request({ port, host: '127.0.0.1' }).end(), 'response')) as [IncomingMessage];
  return response;
};

const plain: Middleware = (_, next) => next();

const listener = () => {};

/** What a middleware does with the body, before Portico sends it. */
const readers: Readonly<Record<string, (ctx: Context, body: Readable) => Promise<void>>> = {
  'waited for the first one': async (_, body) => {
    await once(body, 'readable');
  },
  'listened without reading': async (_, body) => {
    body.on('readable', listener).on('data', listener);
    await once(body, 'readable');
    body.off('readable', listener).off('data', listener);
  },
  'read the first one and put it back': async (_, body) => {
    await once(body, 'readable');
    body.unshift(body.read());
  },
  'read the first one and sent it before the others': async (ctx, body) => {
    await once(body, 'readable');
    const head = body.read() as Buffer;
    ctx.body = Readable.from(
      (async function* () {
        yield head;
        yield* body as AsyncIterable<Buffer>;
      })(),
      { objectMode: false },
    );
  },
};

const withoutLength: Middleware = async (ctx, next) => {
  await next();
  ctx.remove('Content-Length');
};

const kept: Uint8Array[] = [];

/** Changes the body after the route has set it. */
const after =
  (change: (ctx: Context, body: Readable) => void): Middleware =>
  async (ctx, next) => {
    await next();
    change(ctx, ctx.body as Readable);
  };

describe('the chunks of a document', () => {
  it('are released once they are sent, except for the last ones', async () => {
    const content = new Chunks();
    expect((await buffer(await responseTo(appOf(content, plain)))).equals(wanted)).toBe(true);
    expect(content.released).toBeGreaterThan(chunkCount / 2);
  });

  it.each(Object.entries(readers))('are all sent after a middleware has %s', async (_, read) => {
    const content = new Chunks();
    const middleware: Middleware = async (ctx, next) => {
      await next();
      await read(ctx, ctx.body as Readable);
    };
    expect((await buffer(await responseTo(appOf(content, middleware)))).equals(wanted)).toBe(true);
  });

  it('stay with a middleware that has read them', async () => {
    const content = new Chunks();
    let head: Uint8Array = Buffer.alloc(0);
    const middleware: Middleware = async (_, next) => {
      await next();
      await once(content, 'readable');
      head = content.read() as Buffer;
      content.unshift(head);
    };
    await buffer(await responseTo(appOf(content, middleware)));
    expect(wanted.subarray(0, head.length).equals(head)).toBe(true);
    expect(head.length).toBeGreaterThan(0);
  });

  it('close the connection if they are fewer than announced, even if a middleware has removed the length', async () => {
    const announced = { contentLength: String(wanted.length + 1) };
    const response = await responseTo(appOf(new Chunks(), withoutLength, announced).on('error', () => {}));
    await expect(buffer(response)).rejects.toThrow('aborted');
  });

  it('close the connection if a middleware has read them and sends none', async () => {
    const content = new Chunks();
    const errors: string[] = [];
    const middleware: Middleware = async (_, next) => {
      await next();
      await buffer(content);
    };
    const app = appOf(content, middleware).on('error', ({ message }: Error) => errors.push(message));
    await expect(responseTo(app)).rejects.toThrow('socket hang up');
    expect(errors).toContain('The content is shorter than its Content-Length.');
  });

  it('are not released while they wait for the client', async () => {
    const content = new Chunks();
    const context = Promise.withResolvers<Context>();
    const response = await responseTo(
      appOf(content, (ctx, next) => {
        context.resolve(ctx);
        return next();
      }),
    );
    const { res } = await context.promise;
    await expect.poll(() => content.isPaused() && res.writableLength, { interval: 1 }).toBeGreaterThan(chunkBytes);
    const written = content.produced * chunkBytes - content.readableLength;
    expect(written - content.released * chunkBytes).toBeGreaterThanOrEqual(res.writableLength);
    expect((await buffer(response)).equals(wanted)).toBe(true);
    expect(content.released).toBeGreaterThan(0);
  });

  it.each<readonly [string, Middleware]>([
    ['another listener keeps them', after((_, body) => void body.on('data', (chunk: Uint8Array) => kept.push(chunk)))],
    [
      'another listener keeps the first one and is removed',
      after((_, body) => void body.once('data', (chunk: Uint8Array) => kept.push(chunk))),
    ],
    [
      'a middleware reads them first',
      async (ctx, next) => {
        await next();
        ctx.body = await buffer(ctx.body as Readable);
      },
    ],
    [
      'a middleware collects them first',
      async (ctx, next) => {
        await next();
        const body = ctx.body as Readable;
        const chunks: Uint8Array[] = [];
        // The route has paused it.
        body.on('data', (chunk: Uint8Array) => chunks.push(chunk)).resume();
        await once(body, 'end');
        ctx.body = Buffer.concat(chunks);
      },
    ],
    ['a middleware replaces the body', after((ctx, body) => void (ctx.body = body.pipe(new PassThrough())))],
    [
      'a middleware replaces the method that writes them',
      (ctx, next) => {
        const write = ctx.res.write.bind(ctx.res);
        ctx.res.write = ((...args: Parameters<typeof write>) => write(...args)) as typeof write;
        return next();
      },
    ],
  ])('are not released if %s', async (_, middleware) => {
    const content = new Chunks();
    expect((await buffer(await responseTo(appOf(content, middleware)))).equals(wanted)).toBe(true);
    expect(content.released).toBe(0);
    for (const chunk of kept.splice(0)) expect(chunk.byteLength).toBe(chunkBytes);
  });

  it.each<readonly [string, { write: (...parts: never) => unknown }]>([
    ['responses of servers', ServerResponse.prototype],
    ['messages', OutgoingMessage.prototype],
    ['connections', Socket.prototype],
  ])('are not released if the method that writes them is replaced for all %s', async (_, prototype) => {
    const own = Object.getOwnPropertyDescriptor(prototype, 'write');
    const { write } = prototype;
    onTestFinished(() => {
      if (own) Object.defineProperty(prototype, 'write', own);
      // It is inherited.
      else delete (prototype as Partial<typeof prototype>).write;
    });
    prototype.write = function (...parts: never) {
      return Reflect.apply(write, this, parts);
    };
    const content = new Chunks();
    expect((await buffer(await responseTo(appOf(content, plain)))).equals(wanted)).toBe(true);
    expect(content.released).toBe(0);
  });

  it('are not released if a middleware reads the first one and puts it back', async () => {
    const content = new Chunks();
    const app = appOf(
      content,
      async (_, next) => {
        await next();
        const read = Promise.withResolvers<void>();
        content.once('data', (chunk: Uint8Array) => {
          content.pause().unshift(chunk);
          read.resolve();
        });
        content.resume();
        await read.promise;
      },
      // With a length, the first chunk would count twice.
      {} as never,
    );
    expect((await buffer(await responseTo(app))).equals(wanted)).toBe(true);
    expect(content.released).toBe(0);
  });

  it('are not released if the connection is a stream in the same process', async () => {
    const content = new Chunks();
    const server = createServer(appOf(content, plain).callback());
    const [client, connection] = duplexPair();
    server.emit('connection', connection);
    client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const sent = await client.toArray();
    expect(content.released).toBe(0);
    expect(Buffer.concat(sent).subarray(-wanted.length).equals(wanted)).toBe(true);
  });

  it('are not released in HTTP/2', async () => {
    const content = new Chunks();
    const port = await listening(createHttp2Server(appOf(content, plain).callback() as never));
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    onTestFinished(() => session.close());
    expect((await buffer(session.request())).equals(wanted)).toBe(true);
    expect(content.released).toBe(0);
  });
});
