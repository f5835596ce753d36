import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Documents } from '@portico/core';
import { okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import type { RequestReport } from '../request/request-report.ts';
import { type ConnectionLimits, limitedServer } from './connections.ts';
import { expectDocumentedRefusal } from '../openapi/document.test.support.ts';
import { collectGarbage } from './garbage.test.support.ts';
import { listening, openSocket, rawGet, readToEnd, servePortal } from './portal.test.support.ts';

/** A portal with the reports of its responses. */
const portalWith = async (connections: ConnectionLimits = {}) => {
  const reports: RequestReport[] = [];
  const portal = await servePortal({ connections, onResponse: (report) => reports.push(report) });
  return { ...portal, reports };
};

/** Sends text on a new connection and returns all data received until it is closed. */
const exchange = async (port: number, text: string): Promise<string> => {
  const socket = await openSocket(port);
  socket.on('error', () => {});
  socket.write(text);
  return readToEnd(socket);
};

const coverage = (token: string, more = '') => rawGet('/me/coverage', token, more);

const postClaims = (token: string, more: string) =>
  `POST /me/claims HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${more}`;

const stalling = async function* () {
  yield Buffer.alloc(600, 'A');
  await new Promise(() => {});
};

/** A document whose content never ends. */
const stallingDocument = () =>
  okAsync({ outcome: 'whole', headers: { contentLength: '1200' }, content: stalling() } as const);

const secret = 'PTY-SECRET';

describe('malformed HTTP requests', () => {
  it.each([
    ['another protocol', '\u0016\u0003\u0001 hello\r\n\r\n', 400, 'invalid-request'],
    ['no Host header', `GET /me/coverage?${secret} HTTP/1.1\r\n\r\n`, 400, undefined],
    ['a space in a header name', `GET / HTTP/1.1\r\nHost: portal\r\nX ${secret}: 1\r\n\r\n`, 400, 'invalid-request'],
    ['a line feed without carriage return', `GET / HTTP/1.1\nHost: portal\nX-A: ${secret}\n\n`, 400, 'invalid-request'],
    [
      'two content lengths',
      'POST /on_search HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
      400,
      'invalid-request',
    ],
    [
      'a content length and chunked encoding',
      'POST /on_search HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
      400,
      'invalid-request',
    ],
    [
      'a negative content length',
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
    ['an unknown method', `BREW /${secret} HTTP/1.1\r\nHost: portal\r\n\r\n`, 400, 'invalid-request'],
  ] as const)(
    'returns problem details and closes the connection for a malformed request: %s',
    async (_, text, status, code) => {
      const { port, calls, errors } = await portalWith();
      const response = await exchange(port, text);
      expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(response).toMatch(/\r\nConnection: close\r\n/);
      expect(response).not.toContain(secret);
      if (code !== undefined) {
        expect(response).toMatch(/\r\nContent-Type: application\/problem\+json\r\n/);
        expect(JSON.parse(response.slice(response.indexOf('\r\n\r\n')))).toMatchObject({ status, code });
        expectDocumentedRefusal(response);
      }
      expect([calls, errors]).toEqual([[], []]);
    },
  );

  it('forbids caching of a malformed member request', async () => {
    const { port } = await portalWith();
    const response = await exchange(port, 'GET /me/coverage HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n');
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toMatch(/\r\nCache-Control: private, no-store\r\n/);
    expect(response).toMatch(/\r\nVary: Authorization\r\n/);
  });

  it('reports a malformed request without any of its content', async () => {
    const { port, reports } = await portalWith();
    await exchange(port, `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(reports).toMatchObject([{ method: '', route: 'none', status: 431, outcome: 'sent' }]);
  });

  it('does not corrupt a response in progress when malformed data follows', async () => {
    const { port, token } = await portalWith();
    const socket = await openSocket(port);
    socket.write(coverage(token));
    await once(socket, 'data');
    socket.write('no HTTP\r\n\r\n');
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it.each([
    ['malformed', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['late', 'Content-Length: 20\r\n\r\n{'],
  ])('does not write a refusal into a document when the body of the next request is %s', async (_, more) => {
    const { port, token } = await servePortal({
      ports: { documents: { get: stallingDocument } },
      connections: { requestTimeoutMs: 1000 },
    });
    const socket = await openSocket(port);
    const response = readToEnd(socket);
    socket.write(rawGet('/me/documents/DOC-1', token));
    await once(socket, 'data');
    socket.write(postClaims(token, more));
    expect(await response).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\nA+$/);
  });

  it('does not send a refusal as the response to a complete request before the malformed data', async () => {
    const { port, token, fakes } = await servePortal();
    const submitted = Promise.withResolvers<void>();
    const { submit } = fakes.claims;
    fakes.claims.submit = (...claim) => {
      submitted.resolve();
      return submit(...claim);
    };
    const claim = '{"type":"dental"}';
    const response = await exchange(port, postClaims(token, `Content-Length: ${claim.length}\r\n\r\n${claim}x\r\n`));
    await submitted.promise;
    expect(response).toBe('');
  });
});

describe('a request that Node accepts but HTTP forbids', () => {
  const claim = '{"type":"dental"}';

  it.each([
    ['two Host fields', 'Host: a\r\nHost: a\r\n'],
    ['two Host fields, the second after 1200 others', `Host: a\r\n${'a:\r\n'.repeat(1200)}Host: b\r\n`],
    ['two Host fields in other cases', 'HOST: a\r\nhost: b\r\n'],
    ['a Host field with a path', 'Host: portal/me\r\n'],
    ['a Host field with user info', 'Host: user@portal\r\n'],
    ['a Host field with a space', 'Host: a b\r\n'],
    ['a Host field with a list', 'Host: a, b\r\n'],
    ['a Host field with a port that is not a number', 'Host: portal:x\r\n'],
  ])('gets 400 for %s, and the connection is closed', async (_, host) => {
    const { port, token, calls } = await portalWith();
    const response = await exchange(port, coverage(token).replace('Host: portal\r\n', host));
    expect(response).toMatch(/^HTTP\/1\.1 400 [^]*\r\nConnection: close\r\n/);
    expect(response).toContain('The Host header field is not valid.');
    expect(calls).toEqual([]);
  });

  it('does not serve the next request on its connection', async () => {
    const { port, token, calls, reports } = await portalWith();
    const forbidden = 'GET /livez HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n';
    const response = await exchange(
      port,
      `${forbidden}${postClaims(token, `Content-Length: ${claim.length}`)}\r\n\r\n${claim}`,
    );
    expect(response.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    await expect.poll(() => new Set(reports.map(({ status }) => status)), { interval: 1 }).toEqual(new Set([400, 499]));
    expect(calls).toEqual([]);
  });

  it.each(['portal', 'portal:8080', 'portal:', '127.0.0.1:80', '[::1]:8080', 'a_b.example', ''])(
    'the server accepts the Host field "%s"',
    async (host) => {
      const { port, token } = await portalWith();
      const text = coverage(token, 'Connection: close\r\n').replace('Host: portal', `Host: ${host}`);
      expect(await exchange(port, text)).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  it.each(['gzip, chunked', 'gzip,chunked', 'x, chunked'])(
    'gets 400 for Transfer-Encoding %s, and its body is not read',
    async (coding) => {
      const { port, token, calls } = await portalWith();
      const chunk = `${claim.length.toString(16)}\r\n${claim}\r\n0\r\n\r\n`;
      const response = await exchange(port, postClaims(token, `Transfer-Encoding: ${coding}\r\n\r\n${chunk}`));
      expect(response).toMatch(/^HTTP\/1\.1 400 [^]*\r\nConnection: close\r\n/);
      expect(response).toContain('The transfer coding is not supported.');
      expect(calls).toEqual([]);
    },
  );

  it.each(['0.9', '2.0'])('gets 400 for HTTP/%s in a request of HTTP/1, and is not processed', async (version) => {
    const { port, token, calls, errors } = await portalWith();
    const response = await exchange(port, coverage(token).replace('HTTP/1.1', `HTTP/${version}`));
    expect(response).toMatch(/^HTTP\/1\.1 400 [^]*\r\nConnection: close\r\n[^]*The HTTP version is not supported\./);
    expect([calls, errors]).toEqual([[], []]);
  });

  it('gets 400 for Transfer-Encoding with HTTP/1.0, which does not have it', async () => {
    const { port, token, calls } = await portalWith();
    const chunk = `${claim.length.toString(16)}\r\n${claim}\r\n0\r\n\r\n`;
    const request = postClaims(token, `Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`);
    const response = await exchange(port, request.replace('HTTP/1.1', 'HTTP/1.0'));
    expect(response).toMatch(/^HTTP\/1\.1 400 [^]*\r\nConnection: close\r\n/);
    expect(calls).toEqual([]);
  });

  it.each(['chunked', 'CHUNKED'])('the server accepts Transfer-Encoding %s', async (coding) => {
    const { port, token } = await portalWith();
    const chunk = `${claim.length.toString(16)}\r\n${claim}\r\n0\r\n\r\n`;
    const request = postClaims(token, `Connection: close\r\nTransfer-Encoding: ${coding}\r\n\r\n${chunk}`);
    expect(await exchange(port, request)).toMatch(/^HTTP\/1\.1 201 /);
  });
});

describe('a client that expects 100 Continue', () => {
  const claim = '{"type":"dental"}';
  const head = (token: string, more = '') =>
    `POST /me/claims HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${claim.length}\r\nExpect: 100-continue\r\n${more}\r\n`;

  it('gets it before its body is read, and its connection is kept alive', async () => {
    const { port, token } = await portalWith();
    const socket = await openSocket(port);
    socket.write(head(token));
    const [interim] = (await once(socket, 'data')) as [Buffer];
    expect(interim.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(claim + coverage(token, 'Connection: close\r\n'));
    expect((await readToEnd(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 200']);
  });

  it('a client that expects 100 Continue gets `Connection: close` if it requested it', async () => {
    const { port, token } = await portalWith();
    const response = await exchange(port, head(token, 'Connection: close\r\n') + claim);
    expect(response).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 [^]*\r\nConnection: close\r\n/);
  });

  it.each([
    ['401', 'is not authenticated', (text: string) => text.replace(/Bearer [^\r]*/, 'Bearer x')],
    ['413', 'is too large', (text: string) => text.replace(/Content-Length: \d+/, 'Content-Length: 99999999')],
    ['415', 'has another media type', (text: string) => text.replace('application/json', 'text/plain')],
  ])('gets %s instead when the request %s, and the connection is closed', async (status, _, changed) => {
    const { port, token } = await portalWith();
    const response = await exchange(port, changed(head(token)));
    expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\\r\\nConnection: close\\r\\n`));
  });
});

it('the server treats a client that closes its sending side as disconnected (decision 0141)', async () => {
  const received = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const get: Documents['get'] = (_member, _locator, _conditions, signal) => {
    signal?.addEventListener('abort', () => cancelled.resolve());
    received.resolve();
    return new ResultAsync(new Promise(() => {}));
  };
  const { port, token } = await servePortal({ ports: { documents: { get } } });
  const socket = await openSocket(port);
  socket.write(rawGet('/me/documents/DOC-1', token));
  await received.promise;
  socket.end();
  await cancelled.promise;
  expect(await readToEnd(socket)).toBe('');
});

it('the server ignores an unknown Expect header', async () => {
  const { port, token } = await portalWith();
  expect(await exchange(port, coverage(token, 'Expect: a-miracle\r\nConnection: close\r\n'))).toMatch(
    /^HTTP\/1\.1 200 /,
  );
});

describe('slow clients', () => {
  it('returns 408 when a client does not complete its header', async () => {
    const { port } = await portalWith({ headersTimeoutMs: 100 });
    const response = await exchange(port, 'GET /me/coverage HTTP/1.1\r\nHost: portal\r\nX-Slow: ');
    expect(response).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(response).toContain('"code":"request-timeout"');
    expectDocumentedRefusal(response);
  });

  it('returns 408 when a client sends nothing', async () => {
    const { port } = await portalWith({ headersTimeoutMs: 100 });
    expect(await exchange(port, '')).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('returns 408 when a client does not complete its body', async () => {
    const { port, token, calls, errors } = await portalWith({ requestTimeoutMs: 100 });
    expect(await exchange(port, postClaims(token, 'Content-Length: 100\r\n\r\n{'))).toMatch(/^HTTP\/1\.1 408 /);
    expect([calls, errors]).toEqual([[], []]);
  });

  it('disconnects a client that does not read its document, and closes the source', async () => {
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
      connections: { idleTimeoutMs: 2000 },
    });
    const socket = await openSocket(portal.port);
    socket.on('error', () => {}).pause();
    socket.write(rawGet('/me/documents/DOC-1', portal.token));
    await ended.promise;
    await portal.closed();
    expect(portal.errors).toEqual([]);
  });
});

/** A keep-alive connection that has received its response. */
const idle = async (port: number, token: string): Promise<Socket> => {
  const socket = await openSocket(port);
  socket.on('error', () => {});
  socket.write(coverage(token));
  await once(socket, 'data');
  return socket;
};

describe('connection limit', () => {
  it('refuses connections beyond the limit and closes idle ones', async () => {
    const { port, token, request } = await portalWith({ maxConnections: 3 });
    const held = await Promise.all([idle(port, token), idle(port, token), idle(port, token)]);
    const closed = Promise.all(held.map((socket) => once(socket, 'close')));
    const refused = await openSocket(port).then(readToEnd, () => '');
    expect(refused).toBe('');
    await closed;
    expect((await request('GET', '/me/coverage')).status).toBe(200);
  });
});

describe('an idle connection', () => {
  it('keeps nothing of its last request', async () => {
    const server = limitedServer({});
    const port = await listening(server);
    const closed = Promise.withResolvers<WeakRef<object>>();
    server.once('request', (_, response) => {
      const last = new WeakRef<object>(response);
      response.once('close', () => closed.resolve(last)).end('{}');
    });
    const socket = await openSocket(port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    const last = await closed.promise;
    await nextTurn();
    collectGarbage();
    expect(last.deref()).toBeUndefined();
    expect(socket.readyState).toBe('open');
  });
});
