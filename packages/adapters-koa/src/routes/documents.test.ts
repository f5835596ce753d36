import { once } from 'node:events';
import { request } from 'node:http';
import type { Readable } from 'node:stream';
import type { DocumentResponse, DocumentHeaders, Documents, Signal } from '@portico/core';
import type { Middleware } from 'koa';
import { okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { expectDocumented } from '../openapi/document.test.support.ts';
import {
  openSocket,
  pdf,
  type PortalSettings,
  privateHeaders,
  problemIn,
  rawGet,
  readToEnd,
  servePortal,
} from '../server/portal.test.support.ts';

const path = '/me/documents/DOC-1';
const etag = `"DOC-1-${pdf.length}"`;

const read = async (headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
  const portal = await servePortal();
  return portal.request(method, path, { headers });
};

describe('document', () => {
  it('sends a document as a PDF with its headers', async () => {
    const response = await read();
    expect(response.status).toBe(200);
    expect(response.body).toEqual(pdf);
    expect(response.headers).toMatchObject({
      ...privateHeaders,
      'content-type': 'application/pdf',
      'content-length': String(pdf.length),
      'content-disposition': 'inline; filename="DOC-1.pdf"',
      'accept-ranges': 'bytes',
      etag,
    });
  });

  it.each([
    ['bytes=5-14', 5, 15],
    ['bytes=30-', 30, pdf.length],
    ['bytes=-4', pdf.length - 4, pdf.length],
  ])('sends a part of a document for the range %s', async (range, from, to) => {
    const response = await read({ range });
    expect(response.status).toBe(206);
    expect(response.body).toEqual(pdf.subarray(from, to));
    expect(response.headers).toMatchObject({
      ...privateHeaders,
      'content-type': 'application/pdf',
      'content-range': `bytes ${from}-${to - 1}/${pdf.length}`,
      'content-length': String(to - from),
    });
  });

  it.each(['bytes=0-1,5-6', 'pages=1', 'bytes=x'])(
    'sends the whole document for the unsupported range %s',
    async (range) => {
      const response = await read({ range });
      expect([response.status, response.body]).toEqual([200, pdf]);
    },
  );

  it.each([{}, { 'if-range': etag }])(
    'ignores Range for HEAD, because ranges are defined only for GET: %j',
    async (more) => {
      const response = await read({ range: 'bytes=0-1', ...more }, 'HEAD');
      expect([response.status, response.headers['content-length']]).toEqual([200, String(pdf.length)]);
      expect(response.headers['content-range']).toBeUndefined();
    },
  );

  it('sends a part of a document only if If-Range matches', async () => {
    expect((await read({ range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
    expect((await read({ range: 'bytes=0-1', 'if-range': '"older"' })).status).toBe(200);
  });

  it.each([{ 'if-match': '"older"' }, { 'if-unmodified-since': 'Wed, 18 Nov 2026 11:00:00 GMT' }])(
    'ignores Range with a precondition that only the service could check: %j',
    async (precondition) => {
      const response = await read({ range: 'bytes=5-14', ...precondition });
      expect([response.status, response.body.equals(pdf)]).toEqual([200, true]);
    },
  );

  it('returns 416 for a range outside the document', async () => {
    const response = await read({ range: 'bytes=1000-' });
    expect([response.status, response.text]).toEqual([416, '']);
    expect(response.headers).toMatchObject({ ...privateHeaders, 'content-range': `bytes */${pdf.length}` });
    expect(response.headers).not.toHaveProperty('content-disposition');
  });

  it('returns 304 if If-None-Match matches', async () => {
    const response = await read({ 'if-none-match': `"older", W/${etag}` });
    expect([response.status, response.text]).toEqual([304, '']);
    expect(response.headers).toMatchObject({ ...privateHeaders, etag });
    expect(response.headers).not.toHaveProperty('content-type');
    expect(response.headers).not.toHaveProperty('content-length');
    expect((await read({ 'if-none-match': '"older"' })).status).toBe(200);
  });

  it('returns 404 for a document of another member', async () => {
    const portal = await servePortal();
    const authorization = `Bearer ${portal.fakes.identity.issue({ sub: 'PTY-2' })}`;
    expect(problemIn(await portal.request('GET', path, { headers: { authorization } }))).toMatchObject({
      status: 404,
      code: 'not-found',
      service: 'documents',
    });
  });

  it.each([
    ['EOB-2026_01.v2', 'inline; filename="EOB-2026_01.v2.pdf"'],
    ['urn:doc:1', 'inline; filename="urn-doc-1.pdf"'],
  ])('derives a safe file name from the locator %s', async (locator, disposition) => {
    const { portal } = await portalWith({ content: just(pdf) });
    const response = await portal.request('GET', `/me/documents/${locator}`);
    expect(response.headers['content-disposition']).toBe(disposition);
  });

  it('sends only the document headers that the document service returned', async () => {
    const headers: DocumentHeaders = { lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT', etag: 'W/"1"' };
    const { portal } = await portalWith({ headers, content: just(pdf) });
    const response = await portal.request('GET', path);
    expect(response.body).toEqual(pdf);
    expect(response.headers).toMatchObject({ 'last-modified': headers.lastModified, etag: headers.etag });
    for (const name of ['content-length', 'content-range', 'accept-ranges'])
      expect(response.headers).not.toHaveProperty(name);
  });

  it.each([
    ['not-modified', 304, undefined],
    ['range-not-satisfiable', 416, '0'],
  ] as const)('sends no content for the outcome %s, whatever the content length', async (outcome, status, length) => {
    const { portal, respond } = await blockedPortal();
    respond({ outcome, headers: { contentLength: '4711', etag: '"1"' } });
    const response = await portal.request('GET', path);
    expect([response.status, response.headers['content-length'], response.headers.etag]).toEqual([
      status,
      length,
      '"1"',
    ]);
  });

  it('sends an empty document', async () => {
    const { portal } = await portalWith({ headers: { contentLength: '0' }, content: just() });
    const response = await portal.request('GET', path);
    expect([response.status, response.headers['content-type'], response.text]).toEqual([200, 'application/pdf', '']);
  });
});

describe('document content', () => {
  it('closes the content without reading it for HEAD', async () => {
    const source = endless();
    const { portal } = await portalWith({ headers: { contentLength: '99' }, content: source.content });
    const response = await portal.request('HEAD', path);
    await source.ended;
    expect([response.status, response.headers['content-length'], response.text]).toEqual([200, '99', '']);
    expect(portal.errors).toEqual([]);
  });

  it('reads the content with back-pressure', async () => {
    const source = endless(Buffer.alloc(1_048_576));
    const { portal } = await portalWith({ content: source.content });
    const response = await open(portal);
    let received = 0;
    for await (const chunk of response) {
      received += (chunk as Buffer).length;
      if (received > 8_388_608) break;
    }
    await source.ended;
    expect(source.chunks).toBeGreaterThanOrEqual(8);
    expect(source.chunks).toBeLessThan(64);
  });

  it('closes the content when the client disconnects', async () => {
    const source = stalling(pdf);
    const { portal, received } = await portalWith({ content: source.content });
    const response = await open(portal);
    await once(response, 'data');
    response.destroy();
    await source.ended;
    expect((await received).aborted).toBe(true);
    expect(portal.errors).toEqual([]);
  });

  it('runs the finally block of a generator when the client disconnects', async () => {
    let finish: (() => void) | undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const generator = async function* () {
      try {
        for (;;) yield pdf;
      } finally {
        finish?.();
      }
    };
    const { portal } = await portalWith({ content: generator() });
    const response = await open(portal);
    await once(response, 'data');
    response.destroy();
    await finished;
    expect(portal.errors).toEqual([]);
  });

  it('closes the connection if the content is interrupted, so that no client accepts a part as complete', async () => {
    const bug = new Error('The stream was interrupted.');
    const { portal } = await portalWith({ content: interrupted(pdf, bug) });
    const response = await open(portal);
    await expect(response.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(portal.errors).toEqual([bug]);
    expect((await portal.request('GET', '/me/coverage')).status).toBe(200);
  });

  it('closes the connection, and reports one error, if the content fails before a middleware has finished', async () => {
    const bug = new Error('The stream was interrupted.');
    const failing: Middleware = async (ctx, next) => {
      await next();
      const content = ctx.body as Readable;
      // Not `once` of `node:events`, which listens for errors.
      await new Promise((resolve) => void content.once('close', resolve).destroy(bug));
    };
    const { portal } = await portalWith({ content: just(pdf), middleware: [failing] });
    const socket = await openSocket(portal.port);
    socket.write(rawGet(path, portal.token));
    expect(await readToEnd(socket)).toBe('');
    expect(portal.errors).toEqual([bug]);
  });

  it.each<readonly [string, DocumentHeaders, AsyncIterable<Uint8Array>]>([
    ['is interrupted', {}, interrupted(pdf, new Error('The stream was interrupted.'))],
    ['is shorter than announced', { contentLength: '1000' }, just(pdf)],
  ])(
    'resets the connection of HTTP/1.0 if the content %s, because its end marks the end',
    async (_, headers, content) => {
      const { portal } = await portalWith({ headers, content, middleware: [withoutLength] });
      const socket = await openSocket(portal.port);
      socket.resume().write(rawGet(path, portal.token).replace('HTTP/1.1', 'HTTP/1.0'));
      const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
      expect(error.code).toBe('ECONNRESET');
      expect(portal.errors).toHaveLength(1);
    },
  );
});

describe('client that disconnects before the response', () => {
  it('cancels the request to the document service when the client disconnects', async () => {
    const { portal, received, respond } = await blockedPortal();
    const socket = await openSocket(portal.port);
    socket.write(rawGet(path, portal.token));
    const signal = await received;
    expect(signal.aborted).toBe(false);
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    socket.destroy();
    await aborted;
    const source = endless();
    respond({ outcome: 'whole', headers: {}, content: source.content });
    await source.ended;
    expect(portal.errors).toEqual([]);
  });

  it('cancels the request to the document service after a disconnect during token verification', async () => {
    const { portal, received } = await blockedPortal();
    const { verify } = portal.fakes.identity;
    let release: (() => void) | undefined;
    const verifying = new Promise<void>((started) => {
      portal.fakes.identity.verify = (token) => {
        started();
        return ResultAsync.fromSafePromise(new Promise<void>((resolve) => (release = resolve))).andThen(() =>
          verify(token),
        );
      };
    });
    const socket = await openSocket(portal.port);
    socket.write(rawGet(path, portal.token));
    await verifying;
    socket.destroy();
    await portal.closed();
    release?.();
    expect((await received).aborted).toBe(true);
  });
});

type Portal = Awaited<ReturnType<typeof servePortal>>;

/** Sends a request and returns the response before its body is read. */
const open = async ({ port, token }: Portal) => {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path,
    headers: { authorization: `Bearer ${token}` },
    agent: false,
  });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [import('node:http').IncomingMessage];
  response.on('error', () => {});
  expectDocumented('GET', path, { status: response.statusCode ?? 0, headers: response.headers });
  return response;
};

/** As a middleware that changes the content does. */
const withoutLength: Middleware = async (ctx, next) => {
  await next();
  ctx.remove('Content-Length');
};

/** A portal whose document service returns this content, and the signal that it received. */
const portalWith = async ({
  headers = {},
  content,
  ...settings
}: PortalSettings & {
  readonly headers?: DocumentHeaders;
  readonly content: AsyncIterable<Uint8Array>;
}) => {
  const { portal, received, respond } = await blockedPortal(settings);
  respond({ outcome: 'whole', headers, content });
  return { portal, received };
};

/** A portal whose document service waits for `respond`. */
const blockedPortal = async (settings: PortalSettings = {}) => {
  const { promise: received, resolve: markReceived } = Promise.withResolvers<Signal>();
  const { promise: response, resolve: respond } = Promise.withResolvers<DocumentResponse>();
  const get: Documents['get'] = (_, __, ___, signal) => {
    if (signal) markReceived(signal);
    return okAsync(undefined).andThen(() => ResultAsync.fromSafePromise(response));
  };
  const portal = await servePortal({ ports: { documents: { get } }, ...settings });
  return { portal, received, respond };
};

/** A source of bytes that records its end and its chunks. Not a generator, because one that never started skips `finally`. */
const sourceOf = (next: () => Promise<IteratorResult<Uint8Array>>) => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let chunks = 0;
  const iterator: AsyncIterator<Uint8Array> = {
    next: () => {
      chunks += 1;
      return next();
    },
    return: async () => {
      end();
      return { done: true, value: undefined };
    },
  };
  return {
    content: { [Symbol.asyncIterator]: () => iterator },
    ended,
    get chunks() {
      return chunks;
    },
  };
};

const endless = (value: Uint8Array = pdf) => sourceOf(async () => ({ done: false, value }));

/** A source that yields one chunk and then never continues. */
const stalling = (value: Uint8Array) => {
  let first = true;
  return sourceOf(() => {
    if (!first) return new Promise(() => {});
    first = false;
    return Promise.resolve({ done: false, value });
  });
};

const just = async function* (...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
};

const interrupted = async function* (value: Uint8Array, error: Error): AsyncGenerator<Uint8Array> {
  yield value;
  throw error;
};
