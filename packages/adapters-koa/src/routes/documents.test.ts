import { once } from 'node:events';
import { request } from 'node:http';
import type { DocumentResponse, DocumentHeaders, Documents, Signal } from '@portico/core';
import { okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { expectDocumented } from '../openapi/document.test.support.ts';
import { dial, pdf, privateHeaders, problemIn, servePortal } from '../server/portal.test.support.ts';

const path = '/me/documents/DOC-1';
const etag = `"DOC-1-${pdf.length}"`;

const read = async (headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
  const portal = await servePortal();
  return portal.ask(method, path, { headers });
};

describe('a document', () => {
  it('comes as a PDF with everything that is said of it', async () => {
    const answer = await read();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(pdf);
    expect(answer.headers).toMatchObject({
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
  ])('comes in part when asked for %s', async (range, from, to) => {
    const answer = await read({ range });
    expect(answer.status).toBe(206);
    expect(answer.body).toEqual(pdf.subarray(from, to));
    expect(answer.headers).toMatchObject({
      ...privateHeaders,
      'content-type': 'application/pdf',
      'content-range': `bytes ${from}-${to - 1}/${pdf.length}`,
      'content-length': String(to - from),
    });
  });

  it.each(['bytes=0-1,5-6', 'pages=1', 'bytes=x'])('comes whole when the range is %s', async (range) => {
    const answer = await read({ range });
    expect([answer.status, answer.body]).toEqual([200, pdf]);
  });

  it('comes in part only if it is still the same', async () => {
    expect((await read({ range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
    expect((await read({ range: 'bytes=0-1', 'if-range': '"older"' })).status).toBe(200);
  });

  it('has no such part', async () => {
    const answer = await read({ range: 'bytes=1000-' });
    expect([answer.status, answer.text]).toEqual([416, '']);
    expect(answer.headers).toMatchObject({ ...privateHeaders, 'content-range': `bytes */${pdf.length}` });
    expect(answer.headers).not.toHaveProperty('content-disposition');
  });

  it('is not sent again to a member who has it', async () => {
    const answer = await read({ 'if-none-match': `"older", W/${etag}` });
    expect([answer.status, answer.text]).toEqual([304, '']);
    expect(answer.headers).toMatchObject({ ...privateHeaders, etag });
    expect(answer.headers).not.toHaveProperty('content-type');
    expect(answer.headers).not.toHaveProperty('content-length');
    expect((await read({ 'if-none-match': '"older"' })).status).toBe(200);
  });

  it('that belongs to someone else is not there', async () => {
    const portal = await servePortal();
    const authorization = `Bearer ${portal.fakes.identity.issue({ sub: 'PTY-2' })}`;
    expect(problemIn(await portal.ask('GET', path, { headers: { authorization } }))).toMatchObject({
      status: 404,
      code: 'not-found',
      service: 'documents',
    });
  });

  it.each([
    ['EOB-2026_01.v2', 'inline; filename="EOB-2026_01.v2.pdf"'],
    ['urn:doc:1', 'inline; filename="urn-doc-1.pdf"'],
  ])('named %s has a file name that is safe everywhere', async (locator, disposition) => {
    const { portal } = await portalWith({ content: just(pdf) });
    const answer = await portal.ask('GET', `/me/documents/${locator}`);
    expect(answer.headers['content-disposition']).toBe(disposition);
  });

  it('has the headers that the document service gave, and no others', async () => {
    const headers: DocumentHeaders = { lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT', etag: 'W/"1"' };
    const { portal } = await portalWith({ headers, content: just(pdf) });
    const answer = await portal.ask('GET', path);
    expect(answer.body).toEqual(pdf);
    expect(answer.headers).toMatchObject({ 'last-modified': headers.lastModified, etag: headers.etag });
    for (const name of ['content-length', 'content-range', 'accept-ranges'])
      expect(answer.headers).not.toHaveProperty(name);
  });

  it.each([
    ['not-modified', 304, undefined],
    ['range-not-satisfiable', 416, '0'],
  ] as const)('that is %s has no content, whatever length the service spoke of', async (outcome, status, length) => {
    const { portal, answer: say } = await portalWaiting();
    say({ outcome, headers: { contentLength: '4711', etag: '"1"' } });
    const answer = await portal.ask('GET', path);
    expect([answer.status, answer.headers['content-length'], answer.headers.etag]).toEqual([status, length, '"1"']);
  });

  it('may be empty', async () => {
    const { portal } = await portalWith({ headers: { contentLength: '0' }, content: just() });
    const answer = await portal.ask('GET', path);
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, 'application/pdf', '']);
  });
});

describe('the content of a document', () => {
  it('is ended, not read, when only the head was asked for', async () => {
    const source = endless();
    const { portal } = await portalWith({ headers: { contentLength: '99' }, content: source.content });
    const answer = await portal.ask('HEAD', path);
    await source.ended;
    expect([answer.status, answer.headers['content-length'], answer.text]).toEqual([200, '99', '']);
    expect(portal.errors).toEqual([]);
  });

  it('is read no faster than the member takes it', async () => {
    const source = endless(Buffer.alloc(1_048_576));
    const { portal } = await portalWith({ content: source.content });
    const response = await opened(portal);
    let received = 0;
    for await (const chunk of response) {
      received += (chunk as Buffer).length;
      if (received > 8_388_608) break;
    }
    await source.ended;
    expect(source.given).toBeGreaterThanOrEqual(8);
    expect(source.given).toBeLessThan(64);
  });

  it('is ended when the member leaves in the middle', async () => {
    const source = stalling(pdf);
    const { portal, asked } = await portalWith({ content: source.content });
    const response = await opened(portal);
    await once(response, 'data');
    response.destroy();
    await source.ended;
    expect((await asked).aborted).toBe(true);
    expect(portal.errors).toEqual([]);
  });

  it('runs the last lines of a generator when the member leaves', async () => {
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
    const response = await opened(portal);
    await once(response, 'data');
    response.destroy();
    await finished;
    expect(portal.errors).toEqual([]);
  });

  it('that breaks off cuts the connection, so that nobody takes a part for the whole', async () => {
    const bug = new Error('The stream broke off.');
    const { portal } = await portalWith({ content: breaking(pdf, bug) });
    const response = await opened(portal);
    await expect(response.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(portal.errors).toEqual([bug]);
    expect((await portal.ask('GET', '/me/coverage')).status).toBe(200);
  });
});

describe('a member who leaves before the answer', () => {
  it('ends the question to the document service', async () => {
    const { portal, asked, answer } = await portalWaiting();
    const socket = await dial(portal.port);
    socket.write(rawRequest(portal.token));
    const signal = await asked;
    expect(signal.aborted).toBe(false);
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    socket.destroy();
    await aborted;
    const source = endless();
    answer({ outcome: 'whole', headers: {}, content: source.content });
    await source.ended;
    expect(portal.errors).toEqual([]);
  });

  it('even while the token is looked at, is seen to have left', async () => {
    const { portal, asked } = await portalWaiting();
    const { verify } = portal.fakes.identity;
    let look: (() => void) | undefined;
    const looking = new Promise<void>((started) => {
      portal.fakes.identity.verify = (token) => {
        started();
        return ResultAsync.fromSafePromise(new Promise<void>((resolve) => (look = resolve))).andThen(() =>
          verify(token),
        );
      };
    });
    const socket = await dial(portal.port);
    socket.write(rawRequest(portal.token));
    await looking;
    socket.destroy();
    await portal.closed();
    look?.();
    expect((await asked).aborted).toBe(true);
  });
});

const rawRequest = (token: string) => `GET ${path} HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer ${token}\r\n\r\n`;

type Portal = Awaited<ReturnType<typeof servePortal>>;

/** The response once its head has come, its body not read yet. */
const opened = async ({ port, token }: Portal) => {
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

/** A portal whose document service answers with this content, and the signal it was given. */
const portalWith = async ({
  headers = {},
  content,
}: {
  readonly headers?: DocumentHeaders;
  readonly content: AsyncIterable<Uint8Array>;
}) => {
  const { portal, asked, answer } = await portalWaiting();
  answer({ outcome: 'whole', headers, content });
  return { portal, asked };
};

/** A portal whose document service waits to be told its answer. */
const portalWaiting = async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<Signal>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<DocumentResponse>();
  const get: Documents['get'] = (_, __, ___, signal) => {
    if (signal) ask(signal);
    return okAsync(undefined).andThen(() => ResultAsync.fromSafePromise(answered));
  };
  const portal = await servePortal({ ports: { documents: { get } } });
  return { portal, asked, answer };
};

/** A source of bytes that says when it was ended and how often it gave. Not a generator: one that never started has no `finally`. */
const sourceOf = (next: () => Promise<IteratorResult<Uint8Array>>) => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let given = 0;
  const iterator: AsyncIterator<Uint8Array> = {
    next: () => {
      given += 1;
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
    get given() {
      return given;
    },
  };
};

const endless = (value: Uint8Array = pdf) => sourceOf(async () => ({ done: false, value }));

/** Gives one chunk and then keeps the reader waiting. */
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

const breaking = async function* (value: Uint8Array, error: Error): AsyncGenerator<Uint8Array> {
  yield value;
  throw error;
};
