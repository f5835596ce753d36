import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createSecureServer,
  createServer as createPlainHttp2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { Agent, createServer as createHttpsServer, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { createUseCases, type Documents } from '@portico/core';
import { fakePorts } from '@portico/core/testing';
import { okAsync, ResultAsync } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RequestReport } from '../request/request-report.ts';
import { drain } from './draining.ts';
import { listening, openSocket, pdf, send } from './portal.test.support.ts';
import { aSearch, mhId, moaId, onSearch, searchFakes } from './search.test.support.ts';
import { createServer, type ServerSettings } from './server.ts';

const pem = readFileSync(
  new URL('../../../adapters-http/src/http/loopback-certificate.test.pem', import.meta.url),
  'utf8',
);
const tls = { key: pem, cert: pem.slice(pem.indexOf('-----BEGIN CERTIFICATE')) };

/** Serves both APIs over HTTP/2 and, for clients without it, HTTP/1.1. Returns a client with one session. */
const overHttp2 = async (ports: Parameters<typeof fakePorts>[0] = {}, settings: ServerSettings = {}) => {
  const fakes = fakePorts(ports);
  const search = searchFakes();
  const reports: RequestReport[] = [];
  const errors: unknown[] = [];
  const server = createServer(
    { ...createUseCases(fakes), ...search.use },
    {
      server: createSecureServer({ ...tls, allowHTTP1: true }),
      onResponse: (report) => reports.push(report),
      onError: (error) => errors.push(error),
      ...settings,
    },
  );
  const port = await listening(server);
  const session = connect(`https://localhost:${port}`, { ca: tls.cert });
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  const authorization = `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}`;
  return {
    server,
    port,
    session,
    fakes,
    search,
    reports,
    errors,
    authorization,
    request: (headers: OutgoingHttpHeaders, body?: string) => exchange(session, { authorization, ...headers }, body),
  };
};

/** Starts a request. Returns its stream and its response header. */
const begin = async (session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string) => {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const received = await new Promise<IncomingHttpHeaders & { readonly ':status'?: number }>((resolve, reject) => {
    stream.once('response', resolve).once('error', reject);
    stream.once('close', () => reject(new Error(`the stream closed without a response: ${stream.rstCode}`)));
  });
  return { stream, headers: received, status: received[':status'] };
};

/** Sends a request and reads the whole response. */
const exchange = async (session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string) => {
  const response = await begin(session, headers, body);
  return { status: response.status, headers: response.headers, text: await textOf(response.stream) };
};

const json = { 'content-type': 'application/json' };

describe('createServer over an HTTP/2 server', () => {
  const warnings: Error[] = [];
  const keepWarning = (warning: Error) => void warnings.push(warning);
  beforeAll(() => void process.on('warning', keepWarning));
  afterAll(() => {
    process.off('warning', keepWarning);
    // Node drops a field that HTTP/2 forbids, with a warning.
    expect(warnings).toEqual([]);
  });

  it('serves GET, HEAD and POST, and no field that HTTP/2 forbids', async () => {
    const { request, fakes, reports, errors } = await overHttp2();
    const coverage = await request({ ':path': '/me/coverage' });
    expect([coverage.status, coverage.text]).toEqual([200, '{"plan":"gold"}']);
    expect(Object.keys(coverage.headers)).toEqual(expect.arrayContaining(['x-request-id', 'cache-control']));
    for (const name of ['connection', 'keep-alive', 'transfer-encoding'])
      expect(coverage.headers).not.toHaveProperty(name);
    expect((await request({ ':path': '/me/coverage', ':method': 'HEAD' })).status).toBe(200);
    const filed = await request({ ':path': '/me/claims', ':method': 'POST', ...json }, '{"type":"dental"}');
    expect([filed.status, filed.headers['location']]).toEqual([201, expect.stringMatching(/^\/me\/claims\//)]);
    expect(fakes.calls).toEqual(['eligibility.coverage PTY-1', 'eligibility.coverage PTY-1', 'claims.submit PTY-1']);
    await expect
      .poll(() => reports.map(({ status, outcome }) => `${status} ${outcome}`))
      .toEqual(['200 sent', '200 sent', '201 sent']);
    expect(errors).toEqual([]);
  });

  it('closes connections of HTTP/1.1 while draining: after the response, or without a request', async () => {
    const rest = Promise.withResolvers<void>();
    const content = async function* () {
      yield pdf;
      await rest.promise;
    };
    const get = () => okAsync({ outcome: 'whole' as const, headers: {}, content: content() });
    const { server, port, authorization } = await overHttp2({ documents: { get } });
    const agent = new Agent({ keepAlive: true, ca: tls.cert });
    onTestFinished(() => agent.destroy());
    const options = { host: 'localhost', port, path: '/me/documents/DOC-1', headers: { authorization }, agent };
    const [response] = (await once(httpsRequest(options).end(), 'response')) as [Readable];
    response.resume();
    const unused = connectTls({ host: 'localhost', port, ca: tls.cert, ALPNProtocols: ['http/1.1'] });
    await once(unused, 'secureConnect');
    // Much longer than a test may take.
    const drained = drain(server, 600_000);
    rest.resolve();
    await drained;
    unused.destroy();
  });

  it('createServer over an HTTP/2 server returns the same 4xx statuses as over HTTP/1.1', async () => {
    const { request } = await overHttp2();
    const long = `{"type":"${'x'.repeat(300_000)}"}`;
    const post = { ':path': '/me/claims', ':method': 'POST', ...json };
    expect((await request({ ':path': '/me/claims', ':method': 'DELETE' })).status).toBe(405);
    expect((await request({ ':path': '/me/nothing' })).status).toBe(404);
    expect((await request({ ':path': '/me/coverage', authorization: 'Bearer x' })).status).toBe(401);
    expect((await request(post, '{')).status).toBe(400);
    expect((await request(post, long)).status).toBe(413);
    expect((await request({ ':path': '/me/coverage', ':authority': 'portal', host: 'other' })).status).toBe(400);
  });

  it('ends the stream of an incomplete body for which there is no memory, and goes on with the other streams', async () => {
    const { session, authorization, request } = await overHttp2({}, { maxRequestBytes: 64, maxIncompleteBodies: 2 });
    const put = { ':path': '/me/consent', ':method': 'PUT', authorization, ...json };
    const [first, ...others] = Array.from({ length: 3 }, () => session.request(put));
    const ended = once(first!, 'close');
    let text = '';
    first!.on('data', (chunk) => (text += String(chunk)));
    for (const stream of [first!, ...others]) stream.write('x'.repeat(60));
    const [headers] = (await once(first!, 'response')) as [IncomingHttpHeaders];
    await ended;
    const complete = others.map((stream) => once(stream, 'response'));
    for (const stream of others) stream.end();

    expect([headers[':status'], headers['retry-after'], JSON.parse(text)]).toMatchObject([
      503,
      '1',
      { code: 'overloaded' },
    ]);
    expect((await Promise.all(complete)).map(([{ ':status': status }]) => status)).toEqual([400, 400]);
    expect((await request({ ':path': '/me/coverage' })).status).toBe(200);
  });

  it('reports _OTHER for a method that is the text of the client', async () => {
    const { request, reports } = await overHttp2();
    expect((await request({ ':path': '/livez', ':method': 'PTY-1' })).status).toBe(405);
    await expect.poll(() => reports).toMatchObject([{ method: '_OTHER', route: 'none', status: 405 }]);
  });

  it('streams a document, and cancels it when the client resets the stream', async () => {
    const cancelled = Promise.withResolvers<void>();
    const content = async function* () {
      try {
        for (;;) yield pdf;
      } finally {
        cancelled.resolve();
      }
    };
    const endless = { outcome: 'whole', headers: {}, content: content() } as const;
    const get = (_: unknown, locator: string) =>
      okAsync(locator === 'DOC-1' ? endless : { ...endless, content: Readable.from([pdf]) });
    const { request, session, authorization, reports, errors } = await overHttp2({ documents: { get } });
    const whole = await request({ ':path': '/me/documents/DOC-2' });
    expect([whole.headers['content-type'], whole.text]).toEqual(['application/pdf', pdf.toString()]);
    const { stream } = await begin(session, { ':path': '/me/documents/DOC-1', authorization });
    await once(stream, 'readable');
    stream.close(constants.NGHTTP2_CANCEL);
    await cancelled.promise;
    await expect.poll(() => reports.map(({ outcome }) => outcome)).toEqual(['sent', 'cut']);
    expect(errors).toEqual([]);
  });

  const failing = new Readable({ read: () => failing.destroy(new Error('The connection was lost.')) });

  it.each([
    ['fails before its first byte', failing, {}],
    ['is empty although a length is announced', Readable.from([]), { contentLength: '10' }],
  ])('reports status 502 when the content of a document %s', async (_, content, headers) => {
    const get = () => okAsync({ outcome: 'whole' as const, headers, content });
    const { session, authorization, reports } = await overHttp2({ documents: { get } });
    session.request({ ':path': '/me/documents/DOC-1', authorization }).on('error', () => {});
    await expect.poll(() => reports).toMatchObject([{ status: 502, outcome: 'cut' }]);
  });

  it('closes the content of a document whose client has reset the stream before the response', async () => {
    const received = Promise.withResolvers<void>();
    const content = new Readable({ read: () => {} });
    const get: Documents['get'] = (_member, _locator, _conditions, signal) => {
      const cancelled = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
      received.resolve();
      return ResultAsync.fromSafePromise(cancelled).andThen(() =>
        okAsync({ outcome: 'whole' as const, headers: {}, content }),
      );
    };
    const { session, authorization, errors } = await overHttp2({ documents: { get } });
    const stream = session.request({ ':path': '/me/documents/DOC-1', authorization });
    stream.on('error', () => {});
    await received.promise;
    stream.close(constants.NGHTTP2_CANCEL);
    await once(content, 'close');
    expect(errors).toEqual([]);
  });

  it('reports a request whose client resets the stream before the response, and cancels its search', async () => {
    const { session, search, reports } = await overHttp2();
    const stream = session.request({ ':path': '/api/search', ':method': 'POST', ...json });
    stream.on('error', () => {}).end(aSearch);
    await search.posted(2);
    stream.close(constants.NGHTTP2_CANCEL);
    await search.cancelled();
    await expect.poll(() => reports).toMatchObject([{ status: 499, outcome: 'cut' }]);
  });

  it('reports a response as cut whose client resets the stream before it has received the end', async () => {
    const value = 'x'.repeat(1_000_000);
    const coverage = () => okAsync({ text: JSON.stringify(value), value });
    const { session, authorization, reports } = await overHttp2({ eligibility: { coverage } });
    const { stream, status } = await begin(session, { ':path': '/me/coverage', authorization });
    expect(status).toBe(200);
    stream.close(constants.NGHTTP2_CANCEL);
    await expect.poll(() => reports).toMatchObject([{ status: 200, outcome: 'cut' }]);
  });

  it('does not file a claim whose client disconnects before its end', async () => {
    const { session, fakes, reports, errors, authorization } = await overHttp2();
    const post = { ':path': '/me/claims', ':method': 'POST', authorization, ...json };
    const stream = session.request(post, { endStream: false });
    stream.on('error', () => {});
    const { verify } = fakes.identity;
    const verified = Promise.withResolvers<void>();
    fakes.identity.verify = (token) => verify(token).andTee(() => verified.resolve());
    stream.write('{"type":"dental"}');
    await verified.promise;
    session.destroy();
    await expect.poll(() => reports).toMatchObject([{ status: 499, outcome: 'cut' }]);
    expect([fakes.calls, errors]).toEqual([[], []]);
  });

  it('does not file a claim whose client resets the stream without an error before its end', async () => {
    const fakes = fakePorts();
    const reports: RequestReport[] = [];
    const received = Promise.withResolvers<void>();
    const server = createServer(createUseCases(fakes), {
      server: createPlainHttp2Server(),
      onResponse: (report) => reports.push(report),
    });
    server.prependListener('request', (request) => request.once('resume', received.resolve));
    const port = await listening(server);
    const socket = await openSocket(port);
    const authorization = `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}`;
    socket.write(
      Buffer.concat([
        Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
        frame('settings'),
        frame('headers', postClaims({ authorization, ...json })),
        frame('data', Buffer.from('{"type":"dental"}')),
      ]),
    );
    await received.promise;
    const noError = Buffer.alloc(4);
    socket.write(frame('reset', noError));
    await expect.poll(() => reports).toMatchObject([{ status: 499, outcome: 'cut' }]);
    expect(fakes.calls).toEqual([]);
  });

  it('streams the events of a search', async () => {
    const { session, search } = await overHttp2();
    const headers = { ':path': '/api/search', ':method': 'POST', accept: 'text/event-stream', ...json };
    const { stream, status } = await begin(session, headers, aSearch);
    expect(status).toBe(200);
    const reading = textOf(stream);
    await search.posted(2);
    for (const id of [moaId, mhId])
      expect(
        (await exchange(session, { ':path': '/on_search', ':method': 'POST', ...json }, onSearch(id))).status,
      ).toBe(200);
    expect([...(await reading).matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)).toEqual(['leg', 'leg', 'done']);
  });

  it('serves HTTP/1.1 clients too', async () => {
    const { port, authorization } = await overHttp2();
    const response = await overHttps(port, authorization);
    expect([response.status, response.httpVersion, response.text]).toEqual([200, '1.1', '{"plan":"gold"}']);
  });

  it('finishes the requests in flight when it drains, and refuses new ones', async () => {
    const received = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const coverage = () => {
      received.resolve();
      return ResultAsync.fromSafePromise(release.promise).andThen(() => okAsync({ text: '{}', value: {} }));
    };
    const { server, port, session, request } = await overHttp2({ eligibility: { coverage } });
    const pending = request({ ':path': '/me/coverage' });
    await received.promise;
    const drained = drain(server);
    await once(session, 'goaway');
    await expect(overHttps(port, '')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    release.resolve();
    expect((await pending).status).toBe(200);
    await drained;
    expect(session.closed).toBe(true);
  });

  it('closes the connections that exceed the drain limit', async () => {
    const received = Promise.withResolvers<void>();
    const coverage = () => {
      received.resolve();
      return ResultAsync.fromSafePromise(new Promise<never>(() => {}));
    };
    const { server, session, authorization } = await overHttp2({ eligibility: { coverage } });
    const stream = session.request({ ':path': '/me/coverage', authorization });
    stream.on('error', () => {});
    await received.promise;
    const closed = once(session, 'close');
    await drain(server, 1);
    await closed;
    expect(server.listening).toBe(false);
  });

  it('closes a session that was opened before the server was given', async () => {
    const received = Promise.withResolvers<void>();
    const coverage = () => {
      received.resolve();
      return ResultAsync.fromSafePromise(new Promise<never>(() => {}));
    };
    const fakes = fakePorts({ eligibility: { coverage } });
    const existing = createPlainHttp2Server();
    const session = connect(`http://localhost:${await listening(existing)}`);
    onTestFinished(() => session.destroy());
    session.on('error', () => {});
    await once(session, 'remoteSettings');
    const server = createServer(createUseCases(fakes), { server: existing });
    const authorization = `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}`;
    session.request({ ':path': '/me/coverage', authorization }).on('error', () => {});
    await received.promise;
    const closed = once(session, 'close');
    await drain(server, 1);
    await closed;
  });

  it('refuses requests while a search is pending, ends the session, and accepts callbacks on a new one', async () => {
    const { server, port, session, search, request } = await overHttp2();
    const searching = exchange(session, { ':path': '/api/search', ':method': 'POST', ...json }, aSearch);
    await search.posted(2);
    const drained = drain(server);
    const goaway = once(session, 'goaway');
    const refused = await request({ ':path': '/me/coverage' });
    expect([refused.status, refused.headers['connection']]).toEqual([503, undefined]);
    await goaway;
    for (const id of [moaId, mhId]) {
      const seller = connect(`https://localhost:${port}`, { ca: tls.cert });
      const callback = { ':path': '/on_search', ':method': 'POST', ...json };
      expect((await exchange(seller, callback, onSearch(id))).status).toBe(200);
      seller.close();
    }
    expect((await searching).text).toMatch(/"moa":\{[^]*"mh":\{/);
    await drained;
  });
});

/** Type and flags of the frames that a test sends itself (RFC 9113, section 6). */
const frames = { data: [0, 0], headers: [1, 4], reset: [3, 0], settings: [4, 0] } as const;

/** An HTTP/2 frame of stream 1, or of the connection. */
const frame = (name: keyof typeof frames, payload: Buffer = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.set(frames[name], 3);
  head.writeUInt32BE(name === 'settings' ? 0 : 1, 5);
  return Buffer.concat([head, payload]);
};

/** The header of POST /me/claims (RFC 7541): indexed fields, then literals without indexing. */
const postClaims = (fields: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat([
    Buffer.from([0x83, 0x86]),
    ...Object.entries({ ':path': '/me/claims', ':authority': 'portal', ...fields }).flatMap((field) => [
      Buffer.from([0]),
      ...field.map(hpackString),
    ]),
  ]);

const hpackString = (text: string): Buffer => {
  const { length } = text;
  const rest = length - 127;
  const size = rest < 0 ? [length] : rest < 128 ? [127, rest] : [127, (rest & 127) | 128, rest >> 7];
  return Buffer.concat([Buffer.from(size), Buffer.from(text)]);
};

/** Sends GET /me/coverage over HTTP/1.1 and TLS. */
const overHttps = (port: number, authorization: string) =>
  new Promise<{ readonly status: number; readonly httpVersion: string; readonly text: string }>((resolve, reject) => {
    const options = { host: 'localhost', port, path: '/me/coverage', ca: tls.cert, agent: false };
    httpsRequest({ ...options, headers: { authorization } }, (response) => {
      void textOf(response).then((text) =>
        resolve({ status: response.statusCode ?? 0, httpVersion: response.httpVersion, text }),
      );
    })
      .on('error', reject)
      .end();
  });

describe('createServer over an existing server', () => {
  it('serves over an https server, and drains it', async () => {
    const fakes = fakePorts();
    const server = createServer(createUseCases(fakes), { server: createHttpsServer(tls) });
    const port = await listening(server);
    const { text } = await overHttps(port, `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}`);
    expect(text).toBe('{"plan":"gold"}');
    await drain(server);
    expect(server.listening).toBe(false);
  });

  it('closes connections without a TLS handshake when it drains', async () => {
    const server = createServer({}, { server: createHttpsServer(tls) });
    const port = await listening(server);
    const connected = once(server, 'connection');
    const socket = await openSocket(port);
    await connected;
    const closed = once(socket, 'close');
    await drain(server, 1);
    await closed;
    expect(server.listening).toBe(false);
  });

  it('applies the connection limits, and returns the same server', async () => {
    const existing = createHttpServer();
    const limits = { requestTimeoutMs: 4000, headersTimeoutMs: 3000, idleTimeoutMs: 5000, keepAliveTimeoutMs: 2000 };
    const server = createServer({}, { server: existing, connections: { ...limits, maxConnections: 7 } });
    expect(server).toBe(existing);
    const { requestTimeout, headersTimeout, timeout, keepAliveTimeout, maxConnections } = server;
    expect([requestTimeout, headersTimeout, timeout, keepAliveTimeout, maxConnections]).toEqual([
      4000, 3000, 5000, 2000, 7,
    ]);
    expect((await send(await listening(server), 'GET', '/livez')).status).toBe(200);
  });

  it('does not accept a server that has a request listener', () => {
    const server = createHttpServer(() => {});
    expect(() => createServer({}, { server })).toThrow('the server already has a request listener');
  });

  it('does not accept a server that has a listener for streams of HTTP/2', () => {
    const server = createPlainHttp2Server().on('stream', () => {});
    expect(() => createServer({}, { server })).toThrow('the server already has a request listener');
  });

  it('does not accept a certificate for a given server, which would not use it', () => {
    const settings = { server: createHttpServer(), tls: () => tls };
    expect(() => createServer({}, settings)).toThrow(new TypeError('createServer: tls is only for a new server'));
  });
});
