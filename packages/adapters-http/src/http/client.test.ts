import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import { bytesOf, upstream } from '@portico/core';
import { type FakeClock, fakeClock } from '@portico/core/testing';
import { err } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { httpClient, type HttpSettings, type StatusClassifier } from './client.ts';
import type { HttpRequest } from './transport.ts';
import { closedPort, describeOnce, httpServer, tappedFetch, tcpServer, valueOf } from './local-servers.test.support.ts';

let clock: FakeClock;

beforeEach(() => {
  clock = fakeClock();
});

afterEach(async () => {
  await expect.poll(() => clock.scheduled, { interval: 1, message: 'timers that are still scheduled' }).toBe(0);
});

const only2xx: StatusClassifier = (status) =>
  status >= 200 && status <= 299 ? undefined : upstream('claims', 'status');

const send = (url: string, request: Partial<HttpRequest> = {}, settings: HttpSettings = {}) =>
  httpClient('claims', { clock, ...settings }).json({ method: 'GET', url, ...request }, only2xx);

const failed = (reason: 'status' | 'unreachable' | 'timeout' | 'malformed' | 'too-large') =>
  err(upstream('claims', reason));

const json = (response: ServerResponse, body: string | Uint8Array, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);

describe('a JSON response', () => {
  it.each([
    ['numbers too big for a double', '{"id":12345678901234567890,"amount":10.00,"tiny":1e-400}'],
    ['the order of keys, repeated ones too', '{"b":1,"a":2,"10":3,"9":4,"b":5}'],
    ['characters of every kind', '{"name":"Zoë 漢字 😀","escaped":"\\u00e9\\ud83d"}'],
    ['whitespace and line ends', ' {\r\n\t"a" : [ ] }\n'],
    ['a key that is special in JavaScript', '{"__proto__":{"admin":true}}'],
    ['a value that is not an object', '"just text"'],
  ])('keeps %s', async (_, body) => {
    const server = await httpServer((response) => json(response, body));
    expect(await valueOf(send(server.url))).toEqual({ status: 200, text: body, value: JSON.parse(body) });
  });

  it('keeps the bytes of a body over 32 KiB, and those of its characters', async () => {
    const body = `{"id":12345678901234567890,"name":"${'漢'.repeat(20_000)}"}`;
    const server = await httpServer((response) => json(response, body, 201));
    const response = await valueOf(send(server.url));
    expect(String(bytesOf(response))).toBe(body);
    expect(response).toEqual({ status: 201, text: body, value: JSON.parse(body) });
    expect(bytesOf({ ...response, text: '{}' })).toBeUndefined();
  });

  it('keeps a character whose bytes arrive in two chunks', async () => {
    const body = Buffer.from('{"name":"漢"}');
    const drip = { next: () => {} };
    const server = await httpServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(body.subarray(0, 10));
      drip.next = () => response.end(body.subarray(10));
    });
    const fetch = tappedFetch({ onChunk: () => drip.next() });
    expect((await valueOf(send(server.url, {}, { fetch }))).text).toBe('{"name":"漢"}');
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON ;charset=UTF-8'])(
    'may have the media type %s',
    async (type) => {
      const server = await httpServer((response) => response.writeHead(200, { 'content-type': type }).end('{}'));
      expect((await valueOf(send(server.url))).text).toBe('{}');
    },
  );

  it('a JSON response is requested without compression', async () => {
    const server = await httpServer((response) => json(response, '{}'));
    await send(server.url);
    expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('leaves its connection open for the next request', async () => {
    const server = await httpServer((response) => json(response, '{}'));
    const client = httpClient('claims', { clock });
    for (let nth = 0; nth < 20; nth++) await client.json({ method: 'GET', url: server.url }, only2xx);
    expect(server.requests).toHaveLength(20);
    // The pool opens a second connection when a request follows before it knows that the first one is free.
    expect(server.connections).toBeLessThanOrEqual(2);
  });
});

describe('a malformed response', () => {
  const type = { 'content-type': 'application/json' };
  it.each<[string, Record<string, string>, string | Uint8Array]>([
    ['text that is not JSON', type, 'canary'],
    ['truncated JSON', type, '{"a":'],
    ['two JSON values', type, '{}{}'],
    ['an empty body', type, ''],
    ['an HTML page', { 'content-type': 'text/html' }, '<p>canary</p>'],
    ['JSON with the media type of HTML', { 'content-type': 'text/html' }, '{}'],
    ['JSON without a media type', {}, '{}'],
    ['JSON with a related media type', { 'content-type': 'application/problem+json' }, '{}'],
    ['JSON after a byte order mark', type, '\uFEFF{}'],
    ['bytes that are not UTF-8', type, Buffer.from('{"a":"\xff\xfe"}', 'latin1')],
    ['over 32 KiB of bytes that are not UTF-8', type, Buffer.from(`"${'\xe4'.repeat(40_000)}"`, 'latin1')],
    ['over 32 KiB of truncated JSON', type, `["${'x'.repeat(40_000)}"`],
    ['JSON in UTF-16', type, Buffer.from('{}', 'utf16le')],
    ['compressed JSON', { ...type, 'content-encoding': 'gzip' }, gzipSync('{}')],
  ])('fails malformed: %s', async (_, headers, body) => {
    const server = await httpServer((response) => response.writeHead(200, headers).end(body));
    expect(await send(server.url)).toEqual(failed('malformed'));
  });

  it('a malformed response is aborted without reading its body when the media type is wrong', async () => {
    const server = await httpServer((response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write('<p>');
    });
    expect(await send(server.url)).toEqual(failed('malformed'));
    await server.until(() => server.open === 0);
  });
});

const exactly = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;

describeOnce('the maximum response size', () => {
  it.each(['with a content length', 'in chunks'])('accepts a body of exactly that size %s', async (how) => {
    const server = await httpServer((response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(how !== 'in chunks' && { 'content-length': 100 }),
      });
      response.write(exactly(100).slice(0, 50));
      response.end(exactly(100).slice(50));
    });
    const { text } = await valueOf(send(server.url, {}, { maxResponseBytes: 100 }));
    expect(text).toBe(exactly(100));
  });

  it('the maximum response size is counted in bytes, not in characters', async () => {
    const server = await httpServer((response) => json(response, '"漢漢"'));
    expect(await send(server.url, {}, { maxResponseBytes: 7 })).toEqual(failed('too-large'));
  });

  it('rejects a content length above it without reading the body', async () => {
    const server = await httpServer((response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 101 }).flushHeaders(),
    );
    expect(await send(server.url, {}, { maxResponseBytes: 100 })).toEqual(failed('too-large'));
    await server.until(() => server.open === 0);
  });

  it('rejects a body above it without reading the rest', async () => {
    const server = await httpServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(exactly(101));
    });
    expect(await send(server.url, {}, { maxResponseBytes: 100 })).toEqual(failed('too-large'));
    await server.until(() => server.open === 0);
  });

  it('the maximum response size is 10 MiB by default', async () => {
    const limit = 10 * 1024 * 1024;
    const server = await httpServer((response, _, nth) => json(response, exactly(nth === 1 ? limit : limit + 1)));
    expect((await valueOf(send(server.url))).text).toHaveLength(limit);
    expect(await send(server.url)).toEqual(failed('too-large'));
  });
});

describe('a status', () => {
  it.each([301, 302, 303, 307, 308])('a status is not followed for the redirect %i', async (status) => {
    const target = await httpServer((response) => json(response, '{"canary":true}'));
    const server = await httpServer((response) =>
      response.writeHead(status, { location: `${target.url}/stolen` }).end(),
    );
    expect(await send(server.url, { headers: { authorization: 'Bearer canary' } })).toEqual(failed('status'));
    expect(target.connections).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  it.each([400, 401, 403, 408, 429, 500, 502, 503, 504])(
    'fails without a retry on %i, and aborts an endless body at the deadline',
    async (status) => {
      const server = await httpServer((response) => {
        response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '3600' }).write('{"canary":');
      });
      expect(await send(server.url)).toEqual(failed('status'));
      expect(server.requests).toHaveLength(1);
      clock.advance(5000);
      await server.until(() => server.open === 0);
    },
  );

  it.each([404, 500])('leaves the connection open after a %i with a small body', async (status) => {
    const server = await httpServer((response) => response.writeHead(status).end('{"canary":true}'));
    const client = httpClient('claims', { clock });
    const again = () => client.json({ method: 'GET', url: server.url }, () => upstream('claims', 'status'));
    await again();
    await expect.poll(() => clock.scheduled, { interval: 1 }).toBe(0);
    await nextTurn(); // the pool marks a connection as free only after it has processed what it read
    await again();
    expect([server.requests.length, server.connections]).toEqual([2, 1]);
  });

  it('closes the connection after a 500 with a body over 64 KiB, without reading the rest', async () => {
    const server = await httpServer((response) => response.writeHead(500).write(Buffer.alloc(1_000_000)));
    expect(await send(server.url)).toEqual(failed('status'));
    await server.until(() => server.open === 0);
  });
});

describe('the deadline', () => {
  it('fails a call to a service that never responds', async () => {
    const server = await httpServer(() => {});
    const result = send(server.url);
    await server.until(() => server.requests.length === 1);
    clock.advance(4999);
    expect(server.open).toBe(1);
    clock.advance(1);
    expect(await result).toEqual(failed('timeout'));
    await server.until(() => server.open === 0);
    expect(server.requests).toHaveLength(1);
  });

  it('the deadline is the timeout in the settings', async () => {
    const server = await httpServer(() => {});
    const result = send(server.url, {}, { timeoutMs: 50 });
    await server.until(() => server.requests.length === 1);
    clock.advance(50);
    expect(await result).toEqual(failed('timeout'));
  });

  it('covers a body that never arrives', async () => {
    const server = await httpServer((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders(),
    );
    const fetch = tappedFetch({ onHead: () => setImmediate(() => clock.advance(5000)) });
    expect(await send(server.url, {}, { fetch })).toEqual(failed('timeout'));
    await server.until(() => server.open === 0);
  });

  it('covers a body that arrives slowly but steadily', async () => {
    const drip = { next: () => {} };
    let drops = 0;
    const server = await httpServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      drip.next = () => {
        drops++;
        response.write(' ');
      };
      drip.next();
    });
    const onChunk = () => {
      clock.advance(1000);
      drip.next();
    };
    expect(await send(server.url, {}, { fetch: tappedFetch({ onChunk }) })).toEqual(failed('timeout'));
    expect(drops).toBe(6);
    await server.until(() => server.open === 0);
  });

  it('covers the second attempt as well as the first', async () => {
    const server = await tcpServer((socket, nth) => {
      if (nth > 1) return;
      clock.advance(4000);
      socket.resetAndDestroy();
    });
    const result = send(server.url);
    await server.until(() => server.requests.length === 2);
    clock.advance(1000);
    expect(await result).toEqual(failed('timeout'));
    await server.until(() => server.open === 0);
  });

  it('prevents a retry when it passes during a connection reset', async () => {
    const attempts: number[] = [];
    const onAttempt = (nth: number) => {
      attempts.push(nth);
      clock.advance(5000);
      throw Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET' });
    };
    expect(await send('http://127.0.0.1:9', {}, { fetch: tappedFetch({ onAttempt }) })).toEqual(failed('timeout'));
    expect(attempts).toEqual([1]);
  });

  it('prevents a retry when it has passed', async () => {
    const server = await tcpServer((socket) => {
      clock.advance(5000);
      socket.resetAndDestroy();
    });
    expect(await send(server.url)).toEqual(failed('timeout'));
    expect(server.requests).toHaveLength(1);
  });

  it('covers the time to send the request body', async () => {
    const server = await tcpServer((socket) => socket.pause());
    const result = send(server.url, { method: 'POST', body: 'x'.repeat(20_000_000) });
    await server.until(() => server.requests.length === 1);
    clock.advance(5000);
    expect(await result).toEqual(failed('timeout'));
  });
});

describe('a connection', () => {
  const good = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';

  it.each(['reset', 'closed'])(
    'a connection is retried once, immediately, when it is %s before the first byte',
    async (how) => {
      const server = await tcpServer((socket, nth) => {
        if (nth > 1) socket.end(good);
        else if (how === 'reset') socket.resetAndDestroy();
        else socket.end();
      });
      expect((await valueOf(send(server.url))).text).toBe('{}');
      expect(server.requests).toHaveLength(2);
    },
  );

  it.each([
    ['one byte', 'H'],
    ['part of the head', 'HTTP/1.1 200 OK\r\ncontent-type: appli'],
    ['an interim response', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('a connection is not retried when it is closed after %s of the response', async (_, part) => {
    const server = await tcpServer((socket, nth) => {
      if (nth > 1) socket.end(good);
      else socket.write(part, () => setImmediate(() => socket.end()));
    });
    expect(await send(server.url)).toEqual(failed('unreachable'));
    expect(server.requests).toHaveLength(1);
  });

  it('a connection is not retried a second time when it is reset twice', async () => {
    const server = await tcpServer((socket) => socket.resetAndDestroy());
    expect(await send(server.url)).toEqual(failed('unreachable'));
    expect(server.requests).toHaveLength(2);
  });

  it.each(['POST', 'PUT', 'PATCH'] as const)(
    'a connection is not retried for a %s when it is reset',
    async (method) => {
      const server = await tcpServer((socket, nth) => (nth > 1 ? socket.end(good) : socket.resetAndDestroy()));
      expect(await send(server.url, { method, body: '{}' })).toEqual(failed('unreachable'));
      expect(server.requests).toHaveLength(1);
    },
  );

  it('a connection is retried once when it is refused, then fails unreachable', async () => {
    const { url } = await closedPort();
    const attempts: number[] = [];
    const fetch = tappedFetch({ onAttempt: (nth) => void attempts.push(nth) });
    expect(await send(url, {}, { fetch })).toEqual(failed('unreachable'));
    expect(attempts).toEqual([1, 2]);
  });

  it('a connection is not retried for a POST when it is refused', async () => {
    const { url } = await closedPort();
    const attempts: number[] = [];
    const fetch = tappedFetch({ onAttempt: (nth) => void attempts.push(nth) });
    expect(await send(url, { method: 'POST', body: '{}' }, { fetch })).toEqual(failed('unreachable'));
    expect(attempts).toEqual([1]);
  });

  it('succeeds at the retry when the service is up again', async () => {
    const port = await closedPort();
    const onAttempt = (nth: number) => (nth === 2 ? port.open((response) => json(response, '{}')) : undefined);
    expect((await valueOf(send(port.url, {}, { fetch: tappedFetch({ onAttempt }) }))).text).toBe('{}');
  });

  it.each(['reset', 'closed'])('a connection is not retried when it is %s in the middle of a body', async (how) => {
    const end = { now: () => {} };
    const server = await tcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"canary":');
      end.now = () => void (how === 'reset' ? socket.resetAndDestroy() : socket.end());
    });
    const fetch = tappedFetch({ onChunk: () => end.now() });
    expect(await send(server.url, {}, { fetch })).toEqual(failed('unreachable'));
    expect(server.requests).toHaveLength(1);
  });

  it('a connection is not retried when the server does not speak HTTP', async () => {
    const server = await tcpServer((socket) => socket.end('SSH-2.0-canary\r\n'));
    expect(await send(server.url)).toEqual(failed('unreachable'));
    expect(server.requests).toHaveLength(1);
  });

  it('fails unreachable for an unknown host', async () => {
    expect(await send('http://nowhere.invalid/')).toEqual(failed('unreachable'));
  });
});

it('a failure of the HTTP client does not expose a URL, a token or a body', async () => {
  const servers = [
    await httpServer((response) => json(response, '{"canary":1}', 500)),
    await httpServer((response) => json(response, 'canary')),
    await httpServer((response) => json(response, `"${'canary'.repeat(1000)}"`)),
    await httpServer((response) => response.writeHead(302, { location: '/canary' }).end('canary')),
    await tcpServer((socket) => socket.end('canary')),
    await tcpServer((socket) => socket.resetAndDestroy()),
    await closedPort(),
  ];
  const request = { headers: { authorization: 'Bearer canary' } };
  const results = await Promise.all(
    servers.map(({ url }) => send(`${url}/canary?canary=1`, request, { maxResponseBytes: 1000 })),
  );
  const failures = results.flatMap((result) => (result.isErr() ? [result.error] : []));
  expect(inspect(failures, { depth: 9, showHidden: true })).not.toMatch(/canary|127\.0\.0\.1|Bearer/);
  expect(JSON.stringify(failures)).not.toMatch(/canary|127\.0\.0\.1|Bearer/);
  expect(failures.map((failure) => 'reason' in failure && failure.reason)).toEqual([
    'status',
    'malformed',
    'too-large',
    'status',
    'unreachable',
    'unreachable',
    'unreachable',
  ]);
});
