import { once } from 'node:events';
import type { Socket } from 'node:net';
import { okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import type { RequestReport } from '../middleware/request-report.ts';
import type { ConnectionLimits } from './connections.ts';
import { expectDocumentedRefusal } from '../openapi/document.test.support.ts';
import { dial, restOf, servePortal } from './portal.test.support.ts';

/** A portal, and what it reported of its answers. */
const portalWith = async (connections: ConnectionLimits = {}) => {
  const reports: RequestReport[] = [];
  const portal = await servePortal({ connections, onResponse: (report) => reports.push(report) });
  return { ...portal, reports };
};

/** What comes back on a connection of its own, until it is closed. */
const exchange = async (port: number, text: string): Promise<string> => {
  const socket = await dial(port);
  socket.on('error', () => {});
  socket.write(text);
  return restOf(socket);
};

const coverage = (token: string, more = '') =>
  `GET /me/coverage HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`;

const secret = 'PTY-SECRET';

describe('what is no good HTTP', () => {
  it.each([
    ['another protocol', '\u0016\u0003\u0001 hello\r\n\r\n', 400, 'invalid-request'],
    ['no host', `GET /me/coverage?${secret} HTTP/1.1\r\n\r\n`, 400, undefined],
    ['a blank in a header name', `GET / HTTP/1.1\r\nHost: portal\r\nX ${secret}: 1\r\n\r\n`, 400, 'invalid-request'],
    ['a line feed alone', `GET / HTTP/1.1\nHost: portal\nX-A: ${secret}\n\n`, 400, 'invalid-request'],
    [
      'two lengths',
      'POST /on_search HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
      400,
      'invalid-request',
    ],
    [
      'a length and chunks',
      'POST /on_search HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
      400,
      'invalid-request',
    ],
    [
      'a length that is none',
      'POST /on_search HTTP/1.1\r\nHost: a\r\nContent-Length: -2\r\n\r\n{}',
      400,
      'invalid-request',
    ],
    [
      'header fields of 20 kB',
      `GET /?${secret} HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'header-too-large',
    ],
    ['a request target of 20 kB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'header-too-large'],
    ['a method that nobody knows', `BREW /${secret} HTTP/1.1\r\nHost: portal\r\n\r\n`, 400, 'invalid-request'],
  ] as const)('is refused with problem details, and closed: %s', async (_, text, status, code) => {
    const { port, asked, errors } = await portalWith();
    const answer = await exchange(port, text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    expect(answer).not.toContain(secret);
    if (code !== undefined) {
      expect(answer).toMatch(/\r\nContent-Type: application\/problem\+json\r\n/);
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ status, code });
      expectDocumentedRefusal(answer);
    }
    expect([asked, errors]).toEqual([[], []]);
  });

  it('is reported without anything of it', async () => {
    const { port, reports } = await portalWith();
    await exchange(port, `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(reports).toMatchObject([{ method: '', route: 'none', status: 431, outcome: 'sent' }]);
  });

  it('does not spoil an answer that is on its way', async () => {
    const { port, token } = await portalWith();
    const socket = await dial(port);
    socket.write(coverage(token));
    await once(socket, 'data');
    socket.write('no HTTP\r\n\r\n');
    expect(await restOf(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

it('an expectation that nobody knows is no reason to refuse', async () => {
  const { port, token } = await portalWith();
  expect(await exchange(port, coverage(token, 'Expect: a-miracle\r\nConnection: close\r\n'))).toMatch(
    /^HTTP\/1\.1 200 /,
  );
});

describe('a slow client', () => {
  it('that never ends its header is told, and closed', async () => {
    const { port } = await portalWith({ headersTimeoutMs: 100 });
    const answer = await exchange(port, 'GET /me/coverage HTTP/1.1\r\nHost: portal\r\nX-Slow: ');
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toContain('"code":"request-timeout"');
    expectDocumentedRefusal(answer);
  });

  it('that says nothing at all is closed', async () => {
    const { port } = await portalWith({ headersTimeoutMs: 100 });
    expect(await exchange(port, '')).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('that never ends its body is told, and closed', async () => {
    const { port, token, asked, errors } = await portalWith({ requestTimeoutMs: 100 });
    const head = `POST /me/claims HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    expect(await exchange(port, head)).toMatch(/^HTTP\/1\.1 408 /);
    expect([asked, errors]).toEqual([[], []]);
  });

  it('that does not read its document is cut off, and the document let go', async () => {
    const ended = Promise.withResolvers<void>();
    const content = async function* () {
      try {
        for (;;) yield Buffer.alloc(65_536);
      } finally {
        ended.resolve();
      }
    };
    const get = () => okAsync({ outcome: 'whole', headers: {}, content: content() } as const);
    const portal = await servePortal({
      ports: { documents: { get } },
      connections: { idleTimeoutMs: 200 },
    });
    const socket = await dial(portal.port);
    socket.on('error', () => {}).pause();
    socket.write(coverage(portal.token).replace('/me/coverage', '/me/documents/DOC-1'));
    await ended.promise;
    await portal.closed();
    expect(portal.errors).toEqual([]);
  });
});

/** A connection that was answered, and is kept for nothing. */
const idle = async (port: number, token: string): Promise<Socket> => {
  const socket = await dial(port);
  socket.on('error', () => {});
  socket.write(coverage(token));
  await once(socket, 'data');
  return socket;
};

describe('connections without number', () => {
  it('are refused beyond the limit, and idle ones make room', async () => {
    const { port, token, ask } = await portalWith({ maxConnections: 3 });
    const held = await Promise.all([idle(port, token), idle(port, token), idle(port, token)]);
    const closed = Promise.all(held.map((socket) => once(socket, 'close')));
    const refused = await dial(port).then(restOf, () => '');
    expect(refused).toBe('');
    await closed;
    expect((await ask('GET', '/me/coverage')).status).toBe(200);
  });
});
