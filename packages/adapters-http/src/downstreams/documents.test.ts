import type { ServerResponse } from 'node:http';
import {
  type DocumentResponse,
  type DocumentConditions,
  type DocumentLocator,
  notFound,
  upstream,
  upstreamStatus,
} from '@portico/core';
import { aMember, type FakeClock, fakeClock } from '@portico/core/testing';
import { err } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { httpDocuments } from './documents.ts';
import type { HttpSettings } from '../http/client.ts';
import { closedPort, httpServer, tcpServer, valueOf, watchedSignal } from '../http/local-servers.test.support.ts';

let clock: FakeClock;

beforeEach(() => {
  clock = fakeClock();
});

afterEach(async () => {
  await expect.poll(() => clock.scheduled, { interval: 1, message: 'timers that are still scheduled' }).toBe(0);
});

const locator = 'DOC-1' as DocumentLocator;
const pdf = { 'content-type': 'application/pdf' };

const getDocument = (
  url: string,
  conditions: DocumentConditions = {},
  signal?: ReturnType<typeof watchedSignal>,
  settings: HttpSettings = {},
) => httpDocuments({ url, clock, ...settings }).get(aMember(), locator, conditions, signal);

const failed = (reason: 'malformed' | 'timeout' | 'unreachable') => err(upstream('documents', reason));
const failedWith = (status: number) => err(upstreamStatus('documents', status));

/** A reader of a document's chunks as strings. */
const readerOf = (document: DocumentResponse) => {
  if (!('content' in document)) throw new Error(`There is no content: ${document.outcome}`);
  const iterator = document.content[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { value } = await iterator.next();
      return value === undefined ? undefined : Buffer.from(value as Uint8Array).toString();
    },
    return: async () => iterator.return?.(),
  };
};

/** A reader that has already read the first chunk, `%`. */
const startedReader = async (document: DocumentResponse) => {
  const stream = readerOf(document);
  expect(await stream.next()).toBe('%');
  return stream;
};

const read = async (document: DocumentResponse) => {
  if (!('content' in document)) throw new Error(`There is no content: ${document.outcome}`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of document.content) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Starts a document service whose document starts with `%`. `write` sends the next chunk. */
const slowService = async () => {
  const responses: ServerResponse[] = [];
  const server = await httpServer((response) => {
    response.writeHead(200, pdf).write('%');
    responses.push(response);
  });
  return Object.assign(server, {
    write: (text: string) => responses[0]?.write(text),
    finish: () => responses[0]?.end(),
  });
};

describe('a document', () => {
  it('a document is returned byte for byte, with only the headers that describe it', async () => {
    const bytes = Buffer.from([...Array(256).keys()]);
    const { url } = await httpServer((response) =>
      response
        .writeHead(200, {
          'content-type': 'Application/PDF; name="canary.pdf"',
          'content-length': 256,
          etag: 'W/"v1"',
          'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
          'accept-ranges': 'bytes',
          'set-cookie': 'canary=1',
          'content-disposition': 'attachment; filename=canary',
        })
        .end(bytes),
    );
    const result = await valueOf(getDocument(url));
    expect({ ...result, content: await read(result) }).toEqual({
      outcome: 'whole',
      headers: {
        contentLength: '256',
        etag: 'W/"v1"',
        lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT',
        acceptRanges: 'bytes',
      },
      content: bytes,
    });
  });

  it('a document may be empty', async () => {
    const { url } = await httpServer((response) => response.writeHead(200, { ...pdf, 'content-length': 0 }).end());
    expect((await read(await valueOf(getDocument(url)))).length).toBe(0);
  });

  it.each([200, 201, 202, 203, 226, 299])('a document is whole when its status is %i', async (status) => {
    const { url } = await httpServer((response) => response.writeHead(status, pdf).end('%PDF'));
    const result = await valueOf(getDocument(url));
    expect([result.outcome, String(await read(result))]).toEqual(['whole', '%PDF']);
  });

  it('a document may be larger than the limit for JSON', async () => {
    const { url } = await httpServer((response) => response.writeHead(200, pdf).end('x'.repeat(1000)));
    const result = await valueOf(getDocument(url, {}, undefined, { maxResponseBytes: 10 }));
    expect((await read(result)).length).toBe(1000);
  });

  it('a document is requested with exactly the conditions of the member', async () => {
    const server = await httpServer((response) => response.writeHead(200, pdf).end());
    const conditions = {
      range: 'bytes=5-14',
      ifRange: '"v1"',
      ifNoneMatch: '"v0", W/"v1"',
      ifModifiedSince: 'Thu, 01 Jan 2026 00:00:00 GMT',
    };
    await getDocument(server.url, conditions).map(read);
    await getDocument(server.url).map(read);
    expect(server.requests.map(({ headers }) => headers['accept-encoding'])).toEqual(['identity', 'identity']);
    const names = ['range', 'if-range', 'if-none-match', 'if-modified-since'];
    expect(server.requests.map(({ headers }) => names.map((name) => headers[name]))).toEqual([
      Object.values(conditions),
      [undefined, undefined, undefined, undefined],
    ]);
  });
});

const respondWith = (status: number, headers: Record<string, string> = {}, body = '') =>
  httpServer((response) => response.writeHead(status, headers).end(body));

describe('a response without the whole document', () => {
  it('returns the requested part on 206', async () => {
    const { url } = await respondWith(206, { ...pdf, 'content-range': 'bytes 5-9/20', 'content-length': '5' }, '12345');
    const result = await valueOf(getDocument(url, { range: 'bytes=5-9' }));
    expect({ ...result, content: (await read(result)).toString() }).toEqual({
      outcome: 'part',
      headers: { contentRange: 'bytes 5-9/20', contentLength: '5' },
      content: '12345',
    });
  });

  it('returns not-modified on 304 to a conditional request', async () => {
    const { url } = await respondWith(304, { etag: '"v1"' });
    const expected = { outcome: 'not-modified', headers: { etag: '"v1"' } };
    expect(await valueOf(getDocument(url, { ifNoneMatch: '"v1"' }))).toEqual(expected);
    expect(await valueOf(getDocument(url, { ifModifiedSince: 'Thu, 01 Jan 2026 00:00:00 GMT' }))).toEqual(expected);
  });

  it('returns range-not-satisfiable on 416, without the body of the response', async () => {
    const { url } = await respondWith(416, { 'content-type': 'text/html', 'content-range': 'bytes */20' }, 'canary');
    expect(await valueOf(getDocument(url, { range: 'bytes=99-' }))).toMatchObject({
      outcome: 'range-not-satisfiable',
      headers: { contentRange: 'bytes */20' },
    });
  });

  it('closes the connection when a 416 has an endless body', async () => {
    const server = await httpServer((response) => response.writeHead(416, pdf).write('canary'));
    expect((await valueOf(getDocument(server.url, { range: 'bytes=99-' }))).outcome).toBe('range-not-satisfiable');
    clock.advance(5000);
    await server.until(() => server.open === 0);
  });

  it.each([206, 304, 416])('fails on an unexpected %i', async (status) => {
    const { url } = await respondWith(status, pdf);
    expect(await getDocument(url)).toEqual(failedWith(status));
  });

  it('fails on a 206 to a conditional request, and on a 304 to a range request', async () => {
    expect(await getDocument((await respondWith(206, pdf)).url, { ifNoneMatch: '"v1"' })).toEqual(failedWith(206));
    expect(await getDocument((await respondWith(304)).url, { range: 'bytes=0-' })).toEqual(failedWith(304));
  });

  it('fails not-found on 404', async () => {
    const { url } = await respondWith(404, pdf, 'canary');
    expect(await getDocument(url)).toEqual(err(notFound('documents')));
  });

  it.each([204, 205])('fails malformed on %i', async (status) => {
    expect(await getDocument((await respondWith(status)).url)).toEqual(failed('malformed'));
  });

  it.each([301, 302, 307, 401, 403, 500, 503])(
    'fails with reason status on %i, without following a redirect',
    async (status) => {
      const target = await respondWith(200, pdf, 'canary');
      expect(await getDocument((await respondWith(status, { ...pdf, location: target.url })).url)).toEqual(
        failedWith(status),
      );
      expect(target.connections).toBe(0);
    },
  );

  it.each<[string, Record<string, string>]>([
    ['an HTML page', { 'content-type': 'text/html' }],
    ['JSON', { 'content-type': 'application/json' }],
    ['an octet stream', { 'content-type': 'application/octet-stream' }],
    ['a body without a media type', {}],
    ['a compressed PDF', { ...pdf, 'content-encoding': 'gzip' }],
  ])('fails malformed on %s, without reading the rest', async (_, headers) => {
    const server = await httpServer((response) => response.writeHead(200, headers).write('canary'));
    expect(await getDocument(server.url)).toEqual(failed('malformed'));
    await server.until(() => server.open === 0);
  });

  it('fails malformed when the requested part has another media type', async () => {
    const { url } = await respondWith(206, { 'content-type': 'multipart/byteranges; boundary=x' });
    expect(await getDocument(url, { range: 'bytes=0-1,3-4' })).toEqual(failed('malformed'));
  });
});

describe('an unreachable document service', () => {
  it('an unreachable document service is retried once when it resets the connection before the response', async () => {
    const server = await tcpServer((socket, nth) =>
      nth > 1
        ? socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\ncontent-length: 4\r\n\r\n%PDF')
        : socket.resetAndDestroy(),
    );
    expect((await read(await valueOf(getDocument(server.url)))).toString()).toBe('%PDF');
    expect(server.requests).toHaveLength(2);
  });

  it('fails unreachable when the connection is refused', async () => {
    expect(await getDocument((await closedPort()).url)).toEqual(failed('unreachable'));
  });

  it('fails timeout when no response starts within the deadline', async () => {
    const server = await httpServer(() => {});
    const result = getDocument(server.url);
    await server.until(() => server.requests.length === 1);
    clock.advance(5000);
    expect(await result).toEqual(failed('timeout'));
    await server.until(() => server.open === 0);
  });
});

describe('a document stream', () => {
  it('a document stream is read no faster than it is consumed', async () => {
    const size = 256 * 1024 * 1024;
    const chunk = Buffer.alloc(1024 * 1024);
    let sent = 0;
    const server = await httpServer((response) => {
      response.writeHead(200, { ...pdf, 'content-length': size });
      const push = () => {
        while (sent < size) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', push);
        }
        response.end();
      };
      push();
    });
    const result = await valueOf(getDocument(server.url));
    const stalled = async () => {
      for (let before = -1; before !== sent;) {
        before = sent;
        for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => void setImmediate(resolve));
      }
      return sent;
    };
    const unread = await stalled();
    expect(unread).toBeLessThan(size / 4);
    const stream = readerOf(result);
    await stream.next();
    expect((await stalled()) - unread).toBeLessThan(size / 4);
    await stream.return();
    await server.until(() => server.open === 0);
    expect(sent).toBeLessThan(size / 2);
  });

  it('a document stream has no overall deadline while chunks keep arriving', async () => {
    const service = await slowService();
    const stream = await startedReader(await valueOf(getDocument(service.url)));
    for (const chunk of ['a', 'b', 'c', 'd']) {
      const next = stream.next();
      clock.advance(4999);
      service.write(chunk);
      expect(await next).toBe(chunk);
    }
    service.finish();
    expect(await stream.next()).toBeUndefined();
  });

  it('does not time out while its reader pauses', async () => {
    const service = await slowService();
    const stream = await startedReader(await valueOf(getDocument(service.url)));
    service.write('a');
    clock.advance(3_600_000);
    expect(await stream.next()).toBe('a');
    clock.advance(3_600_000);
    service.write('b');
    expect(await stream.next()).toBe('b');
    expect(clock.scheduled).toBe(0);
    await stream.return();
  });

  it('fails when no chunk arrives within the deadline', async () => {
    const service = await slowService();
    const stream = await startedReader(await valueOf(getDocument(service.url)));
    service.write('a');
    expect(await stream.next()).toBe('a');
    const next = stream.next();
    clock.advance(4999);
    expect(service.open).toBe(1);
    clock.advance(1);
    await expect(next).rejects.toThrow('The stream stalled.');
    await service.until(() => service.open === 0);
  });

  it('fails without exposing details when the service resets the connection', async () => {
    const service = await tcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\ncontent-length: 100\r\n\r\ncanary');
    });
    const stream = readerOf(await valueOf(getDocument(`${service.url}/canary`)));
    expect(await stream.next()).toBe('canary');
    const next = stream.next();
    service.sockets[0]?.resetAndDestroy();
    await expect(next).rejects.toThrow(/^The stream was interrupted\.$/);
    await expect(next).rejects.not.toHaveProperty('cause');
    expect(service.requests).toHaveLength(1);
  });

  it('fails unreachable when the connection is reset before the first byte', async () => {
    const service = await tcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\ncontent-length: 100\r\n\r\n', () =>
        setImmediate(() => socket.resetAndDestroy()),
      );
    });
    expect(await getDocument(service.url)).toEqual(failed('unreachable'));
  });

  it('fails timeout when the service stalls before the first byte', async () => {
    const server = await httpServer((response) => response.writeHead(200, pdf).flushHeaders());
    const result = getDocument(server.url);
    await server.until(() => server.requests.length === 1);
    clock.advance(5000);
    expect(await result).toEqual(failed('timeout'));
    await server.until(() => server.open === 0);
  });

  it('fails when the body is shorter than its content length', async () => {
    const { url } = await tcpServer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\ncontent-length: 100\r\n\r\n%PDF-'),
    );
    await expect(read(await valueOf(getDocument(url)))).rejects.toThrow('The stream was interrupted.');
  });

  it.each(['after the first chunk', 'before the first read'])(
    'closes the connection when its reader returns %s',
    async (when) => {
      const service = await slowService();
      const stream = readerOf(await valueOf(getDocument(service.url)));
      if (when === 'after the first chunk') expect(await stream.next()).toBe('%');
      expect(await stream.return()).toEqual({ done: true, value: undefined });
      await service.until(() => service.open === 0);
    },
  );

  it('closes the connection when a loop over it breaks', async () => {
    const service = await slowService();
    const result = await valueOf(getDocument(service.url));
    service.write('a');
    if ('content' in result) for await (const _ of result.content) break;
    await service.until(() => service.open === 0);
  });

  it('a document stream may be returned twice, and after its end', async () => {
    const { url } = await httpServer((response) => response.writeHead(200, pdf).end('a'));
    const stream = readerOf(await valueOf(getDocument(url)));
    expect([await stream.next(), await stream.next()]).toEqual(['a', undefined]);
    await stream.return();
    await stream.return();
    expect(clock.scheduled).toBe(0);
  });

  it('yields nothing after it was returned, also to a pending read', async () => {
    const service = await slowService();
    const stream = await startedReader(await valueOf(getDocument(service.url)));
    const waiting = stream.next();
    await stream.return();
    expect([await waiting, await stream.next()]).toEqual([undefined, undefined]);
  });
});

describe('a cancelled document request', () => {
  it('a cancelled document request is aborted before the response', async () => {
    const signal = watchedSignal();
    const server = await httpServer(() => {});
    const result = getDocument(server.url, {}, signal);
    await server.until(() => server.requests.length === 1);
    signal.abort();
    expect(await result).toEqual(failed('unreachable'));
    await server.until(() => server.open === 0);
    expect(server.requests).toHaveLength(1);
    expect(signal.listeners).toBe(0);
  });

  it('a cancelled document request is never sent when the signal is already aborted', async () => {
    const signal = watchedSignal();
    signal.abort();
    const server = await httpServer(() => {});
    expect(await getDocument(server.url, {}, signal)).toEqual(failed('unreachable'));
    expect([server.requests.length, signal.listeners]).toEqual([0, 0]);
  });

  it('ends the stream during a pending read', async () => {
    const signal = watchedSignal();
    const service = await slowService();
    const stream = await startedReader(await valueOf(getDocument(service.url, {}, signal)));
    const next = stream.next();
    signal.abort();
    await expect(next).rejects.toThrow('The stream was interrupted.');
    await service.until(() => service.open === 0);
    expect(signal.listeners).toBe(0);
  });

  it('ends the stream immediately while nothing reads it', async () => {
    const signal = watchedSignal();
    const service = await slowService();
    const stream = readerOf(await valueOf(getDocument(service.url, {}, signal)));
    signal.abort();
    await service.until(() => service.open === 0);
    await stream.return();
    expect(signal.listeners).toBe(0);
  });

  it('removes its abort listener when the document ends', async () => {
    const responses: ServerResponse[] = [];
    const server = await httpServer((response, _, nth) => {
      if (nth > 1) return void response.writeHead(nth === 2 ? 404 : 304).end();
      response.writeHead(200, pdf).write('a');
      responses.push(response);
    });
    const signal = watchedSignal();
    const result = await valueOf(getDocument(server.url, {}, signal));
    expect(signal.listeners).toBe(1);
    responses[0]?.end();
    await read(result);
    expect(signal.listeners).toBe(0);
    await getDocument(server.url, {}, signal);
    await expect.poll(() => signal.listeners, { interval: 1 }).toBe(0);
    await getDocument(server.url, { ifNoneMatch: '"v1"' }, signal);
    await expect.poll(() => signal.listeners, { interval: 1 }).toBe(0);
  });

  it('removes its abort listener when the service is unreachable', async () => {
    const signal = watchedSignal();
    await getDocument((await closedPort()).url, {}, signal);
    expect(signal.listeners).toBe(0);
  });
});
