import type { ServerResponse } from 'node:http';
import {
  type DocumentResponse,
  type DocumentConditions,
  type DocumentLocator,
  notFound,
  upstream,
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
  await expect.poll(() => clock.scheduled, { interval: 1, message: 'timers left behind' }).toBe(0);
});

const locator = 'DOC-1' as DocumentLocator;
const pdf = { 'content-type': 'application/pdf' };

const ask = (
  url: string,
  conditions: DocumentConditions = {},
  signal?: ReturnType<typeof watchedSignal>,
  settings: HttpSettings = {},
) => httpDocuments({ url, clock, ...settings }).get(aMember(), locator, conditions, signal);

const failed = (reason: 'status' | 'malformed' | 'timeout' | 'unreachable') => err(upstream('documents', reason));

/** What is to be read, read by hand. */
const reading = (answer: DocumentResponse) => {
  if (!('content' in answer)) throw new Error(`There is nothing to read: ${answer.outcome}`);
  const iterator = answer.content[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { value } = await iterator.next();
      return value === undefined ? undefined : Buffer.from(value as Uint8Array).toString();
    },
    end: async () => iterator.return?.(),
  };
};

/** What is to be read, after the `%` it begins with. */
const begun = async (answer: DocumentResponse) => {
  const stream = reading(answer);
  expect(await stream.next()).toBe('%');
  return stream;
};

const read = async (answer: DocumentResponse) => {
  const chunks: Uint8Array[] = [];
  if ('content' in answer) for await (const chunk of answer.content) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** A document service whose document begins with `%` and goes on in pieces, when it is told to send them. */
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
  it('comes byte for byte, with the headers that describe it and no others', async () => {
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
    const answer = await valueOf(ask(url));
    expect({ ...answer, content: await read(answer) }).toEqual({
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

  it('may be empty', async () => {
    const { url } = await httpServer((response) => response.writeHead(200, { ...pdf, 'content-length': 0 }).end());
    expect((await read(await valueOf(ask(url)))).length).toBe(0);
  });

  it('may be larger than any JSON answer', async () => {
    const { url } = await httpServer((response) => response.writeHead(200, pdf).end('x'.repeat(1000)));
    const answer = await valueOf(ask(url, {}, undefined, { maxResponseBytes: 10 }));
    expect((await read(answer)).length).toBe(1000);
  });

  it('is asked for with the conditions the member named, and only those', async () => {
    const server = await httpServer((response) => response.writeHead(200, pdf).end());
    const conditions = {
      range: 'bytes=5-14',
      ifRange: '"v1"',
      ifNoneMatch: '"v0", W/"v1"',
      ifModifiedSince: 'Thu, 01 Jan 2026 00:00:00 GMT',
    };
    await ask(server.url, conditions).map(read);
    await ask(server.url).map(read);
    expect(server.requests.map(({ headers }) => headers['accept-encoding'])).toEqual(['identity', 'identity']);
    const names = ['range', 'if-range', 'if-none-match', 'if-modified-since'];
    expect(server.requests.map(({ headers }) => names.map((name) => headers[name]))).toEqual([
      Object.values(conditions),
      [undefined, undefined, undefined, undefined],
    ]);
  });
});

const answering = (status: number, headers: Record<string, string> = {}, body = '') =>
  httpServer((response) => response.writeHead(status, headers).end(body));

describe('an answer without a whole document', () => {
  it('may be the part that was asked for', async () => {
    const { url } = await answering(206, { ...pdf, 'content-range': 'bytes 5-9/20', 'content-length': '5' }, '12345');
    const answer = await valueOf(ask(url, { range: 'bytes=5-9' }));
    expect({ ...answer, content: (await read(answer)).toString() }).toEqual({
      outcome: 'part',
      headers: { contentRange: 'bytes 5-9/20', contentLength: '5' },
      content: '12345',
    });
  });

  it('may be "not modified", when the member has one already', async () => {
    const { url } = await answering(304, { etag: '"v1"' });
    const expected = { outcome: 'not-modified', headers: { etag: '"v1"' } };
    expect(await valueOf(ask(url, { ifNoneMatch: '"v1"' }))).toEqual(expected);
    expect(await valueOf(ask(url, { ifModifiedSince: 'Thu, 01 Jan 2026 00:00:00 GMT' }))).toEqual(expected);
  });

  it('may be "no such range", whose own body is not passed on', async () => {
    const { url } = await answering(416, { 'content-type': 'text/html', 'content-range': 'bytes */20' }, 'canary');
    expect(await valueOf(ask(url, { range: 'bytes=99-' }))).toMatchObject({
      outcome: 'range-not-satisfiable',
      headers: { contentRange: 'bytes */20' },
    });
  });

  it('ends the connection when "no such range" is followed by a body without end', async () => {
    const server = await httpServer((response) => response.writeHead(416, pdf).write('canary'));
    expect((await valueOf(ask(server.url, { range: 'bytes=99-' }))).outcome).toBe('range-not-satisfiable');
    clock.advance(5000);
    await server.until(() => server.open === 0);
  });

  it.each([206, 304, 416])('is no answer when nobody asked for it: %i', async (status) => {
    const { url } = await answering(status, pdf);
    expect(await ask(url)).toEqual(failed('status'));
  });

  it('is no answer to another question: a part for a conditional one, "not modified" for a range', async () => {
    expect(await ask((await answering(206, pdf)).url, { ifNoneMatch: '"v1"' })).toEqual(failed('status'));
    expect(await ask((await answering(304)).url, { range: 'bytes=0-' })).toEqual(failed('status'));
  });

  it('may be that there is none', async () => {
    const { url } = await answering(404, pdf, 'canary');
    expect(await ask(url)).toEqual(err(notFound('documents')));
  });

  it.each([204, 205])('is a failure when it is %i', async (status) => {
    expect(await ask((await answering(status)).url)).toEqual(failed('malformed'));
  });

  it.each([301, 302, 307, 401, 403, 500, 503])('is a failure when it is %i', async (status) => {
    const elsewhere = await answering(200, pdf, 'canary');
    expect(await ask((await answering(status, { ...pdf, location: elsewhere.url })).url)).toEqual(failed('status'));
    expect(elsewhere.connections).toBe(0);
  });

  it.each<[string, Record<string, string>]>([
    ['a page', { 'content-type': 'text/html' }],
    ['JSON', { 'content-type': 'application/json' }],
    ['anything at all', { 'content-type': 'application/octet-stream' }],
    ['something without a type', {}],
    ['a compressed PDF', { ...pdf, 'content-encoding': 'gzip' }],
  ])('is a failure when it is %s, and the rest of it is not waited for', async (_, headers) => {
    const server = await httpServer((response) => response.writeHead(200, headers).write('canary'));
    expect(await ask(server.url)).toEqual(failed('malformed'));
    await server.until(() => server.open === 0);
  });

  it('is a failure when the part asked for is of another type', async () => {
    const { url } = await answering(206, { 'content-type': 'multipart/byteranges; boundary=x' });
    expect(await ask(url, { range: 'bytes=0-1,3-4' })).toEqual(failed('malformed'));
  });
});

describe('a service that cannot be reached', () => {
  it('is tried once more when it resets the connection before it answers', async () => {
    const server = await tcpServer((socket, nth) =>
      nth > 1
        ? socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\ncontent-length: 4\r\n\r\n%PDF')
        : socket.resetAndDestroy(),
    );
    expect((await read(await valueOf(ask(server.url)))).toString()).toBe('%PDF');
    expect(server.requests).toHaveLength(2);
  });

  it('has failed when nobody takes the connection', async () => {
    expect(await ask((await closedPort()).url)).toEqual(failed('unreachable'));
  });

  it('has failed when no answer begins within the deadline', async () => {
    const server = await httpServer(() => {});
    const answer = ask(server.url);
    await server.until(() => server.requests.length === 1);
    clock.advance(5000);
    expect(await answer).toEqual(failed('timeout'));
    await server.until(() => server.open === 0);
  });
});

describe('a stream', () => {
  it('is read no faster than the member reads', async () => {
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
    const answer = await valueOf(ask(server.url));
    const stalled = async () => {
      for (let before = -1; before !== sent;) {
        before = sent;
        for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => void setImmediate(resolve));
      }
      return sent;
    };
    const unread = await stalled();
    expect(unread).toBeLessThan(size / 4);
    const stream = reading(answer);
    await stream.next();
    expect((await stalled()) - unread).toBeLessThan(size / 4);
    await stream.end();
    await server.until(() => server.open === 0);
    expect(sent).toBeLessThan(size / 2);
  });

  it('may take all day as long as somebody reads and something comes', async () => {
    const service = await slowService();
    const stream = await begun(await valueOf(ask(service.url)));
    for (const piece of ['a', 'b', 'c', 'd']) {
      const next = stream.next();
      clock.advance(4999);
      service.write(piece);
      expect(await next).toBe(piece);
    }
    service.finish();
    expect(await stream.next()).toBeUndefined();
  });

  it('may wait for its reader as long as the reader likes', async () => {
    const service = await slowService();
    const stream = await begun(await valueOf(ask(service.url)));
    service.write('a');
    clock.advance(3_600_000);
    expect(await stream.next()).toBe('a');
    clock.advance(3_600_000);
    service.write('b');
    expect(await stream.next()).toBe('b');
    expect(clock.scheduled).toBe(0);
    await stream.end();
  });

  it('breaks when nothing comes for as long as the deadline', async () => {
    const service = await slowService();
    const stream = await begun(await valueOf(ask(service.url)));
    service.write('a');
    expect(await stream.next()).toBe('a');
    const next = stream.next();
    clock.advance(4999);
    expect(service.open).toBe(1);
    clock.advance(1);
    await expect(next).rejects.toThrow('The stream stalled.');
    await service.until(() => service.open === 0);
  });

  it('breaks without naming anything when the service breaks off', async () => {
    const service = await tcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\ncontent-length: 100\r\n\r\ncanary');
    });
    const stream = reading(await valueOf(ask(`${service.url}/canary`)));
    expect(await stream.next()).toBe('canary');
    const next = stream.next();
    service.sockets[0]?.resetAndDestroy();
    await expect(next).rejects.toThrow(/^The stream broke off\.$/);
    await expect(next).rejects.not.toHaveProperty('cause');
    expect(service.requests).toHaveLength(1);
  });

  it('that breaks off before its first byte was never begun', async () => {
    const service = await tcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\ncontent-length: 100\r\n\r\n', () =>
        setImmediate(() => socket.resetAndDestroy()),
      );
    });
    expect(await ask(service.url)).toEqual(failed('unreachable'));
  });

  it('that stalls before its first byte was never begun', async () => {
    const server = await httpServer((response) => response.writeHead(200, pdf).flushHeaders());
    const answer = ask(server.url);
    await server.until(() => server.requests.length === 1);
    clock.advance(5000);
    expect(await answer).toEqual(failed('timeout'));
    await server.until(() => server.open === 0);
  });

  it('breaks when the service sends less than it announced', async () => {
    const { url } = await tcpServer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\ncontent-length: 100\r\n\r\n%PDF-'),
    );
    await expect(read(await valueOf(ask(url)))).rejects.toThrow('The stream broke off.');
  });

  it.each(['after the first piece', 'before it was ever read'])('ends upstream when it is ended %s', async (when) => {
    const service = await slowService();
    const stream = reading(await valueOf(ask(service.url)));
    if (when === 'after the first piece') expect(await stream.next()).toBe('%');
    expect(await stream.end()).toEqual({ done: true, value: undefined });
    await service.until(() => service.open === 0);
  });

  it('ends upstream when a loop over it is left', async () => {
    const service = await slowService();
    const answer = await valueOf(ask(service.url));
    service.write('a');
    if ('content' in answer) for await (const _ of answer.content) break;
    await service.until(() => service.open === 0);
  });

  it('may be ended twice, and after its end', async () => {
    const { url } = await httpServer((response) => response.writeHead(200, pdf).end('a'));
    const stream = reading(await valueOf(ask(url)));
    expect([await stream.next(), await stream.next()]).toEqual(['a', undefined]);
    await stream.end();
    await stream.end();
    expect(clock.scheduled).toBe(0);
  });

  it('gives nothing more once it was ended, to a reader who waits neither', async () => {
    const service = await slowService();
    const stream = await begun(await valueOf(ask(service.url)));
    const waiting = stream.next();
    await stream.end();
    expect([await waiting, await stream.next()]).toEqual([undefined, undefined]);
  });
});

describe('a member who leaves', () => {
  it('before the answer ends the request', async () => {
    const signal = watchedSignal();
    const server = await httpServer(() => {});
    const answer = ask(server.url, {}, signal);
    await server.until(() => server.requests.length === 1);
    signal.abort();
    expect(await answer).toEqual(failed('unreachable'));
    await server.until(() => server.open === 0);
    expect(server.requests).toHaveLength(1);
    expect(signal.listeners).toBe(0);
  });

  it('before the question keeps it from being asked', async () => {
    const signal = watchedSignal();
    signal.abort();
    const server = await httpServer(() => {});
    expect(await ask(server.url, {}, signal)).toEqual(failed('unreachable'));
    expect([server.requests.length, signal.listeners]).toEqual([0, 0]);
  });

  it('during a wait for the next piece ends the stream', async () => {
    const signal = watchedSignal();
    const service = await slowService();
    const stream = await begun(await valueOf(ask(service.url, {}, signal)));
    const next = stream.next();
    signal.abort();
    await expect(next).rejects.toThrow('The stream broke off.');
    await service.until(() => service.open === 0);
    expect(signal.listeners).toBe(0);
  });

  it('while nobody reads ends the stream at once', async () => {
    const signal = watchedSignal();
    const service = await slowService();
    const stream = reading(await valueOf(ask(service.url, {}, signal)));
    signal.abort();
    await service.until(() => service.open === 0);
    await stream.end();
    expect(signal.listeners).toBe(0);
  });

  it('is listened to no longer than the document takes', async () => {
    const begun: ServerResponse[] = [];
    const server = await httpServer((response, _, nth) => {
      if (nth > 1) return void response.writeHead(nth === 2 ? 404 : 304).end();
      response.writeHead(200, pdf).write('a');
      begun.push(response);
    });
    const signal = watchedSignal();
    const answer = await valueOf(ask(server.url, {}, signal));
    expect(signal.listeners).toBe(1);
    begun[0]?.end();
    await read(answer);
    expect(signal.listeners).toBe(0);
    await ask(server.url, {}, signal);
    await expect.poll(() => signal.listeners, { interval: 1 }).toBe(0);
    await ask(server.url, { ifNoneMatch: '"v1"' }, signal);
    await expect.poll(() => signal.listeners, { interval: 1 }).toBe(0);
  });

  it('is no longer listened to when the service cannot be reached', async () => {
    const signal = watchedSignal();
    await ask((await closedPort()).url, {}, signal);
    expect(signal.listeners).toBe(0);
  });
});
