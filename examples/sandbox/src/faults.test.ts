import { createServer, type RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startFaultyServer, type FaultyServer } from './faults.ts';

const document = Buffer.alloc(300_000, '%PDF-1.7 page ');

const healthy: RequestListener = (request, response) => {
  if (request.url === '/document') {
    response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': document.length });
    pipeline(Readable.from([document.subarray(0, 1_000), document.subarray(1_000)]), response).catch(() => {});
    return;
  }
  response.setHeader('content-type', 'application/json');
  if (request.method === 'POST') request.pipe(response);
  else response.end('{"status":"active"}');
};

const causeOf = (response: Promise<unknown>): Promise<string> =>
  response.then(
    () => 'response',
    (error: Error & { cause?: { code?: string } }) => error.cause?.code ?? error.message,
  );

const received = async (response: Response): Promise<{ chunks: Uint8Array[]; broken: boolean }> => {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk);
    return { chunks, broken: false };
  } catch {
    return { chunks, broken: true };
  }
};

let server: FaultyServer;
beforeEach(async () => {
  server = await startFaultyServer(healthy);
});
afterEach(() => server.close());

describe('a service without a fault', () => {
  test('responds like its listener and records requests', async () => {
    const response = await fetch(`${server.url}/coverage?status=active`, { headers: { 'x-request-id': 'r-1' } });
    expect(await response.json()).toEqual({ status: 'active' });
    expect(server.requests).toMatchObject([
      { method: 'GET', path: '/coverage?status=active', headers: { 'x-request-id': 'r-1' }, aborted: false },
    ]);
    server.clearRequests();
    expect(server.requests).toEqual([]);
  });

  test('keeps the newest ten thousand requests', async () => {
    const listener = await startFaultyServer((_request, response) => response.end());
    const requests = listener.requests as unknown[];
    requests.push(...Array.from({ length: 10_000 }, (_, index) => index));
    await fetch(`${listener.url}/newest`);
    expect(requests).toHaveLength(10_000);
    expect(requests.at(0)).toBe(1);
    expect(requests.at(-1)).toMatchObject({ path: '/newest' });
    await listener.close();
  });

  test('refuses to start on a taken port', async () => {
    await expect(startFaultyServer(healthy, { port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('a service with a faulty response', () => {
  test('delays the response', async () => {
    await server.setFault({ kind: 'latency', ms: 40 });
    const started = performance.now();
    const response = await fetch(server.url);
    expect(performance.now() - started).toBeGreaterThanOrEqual(39);
    expect(await response.json()).toEqual({ status: 'active' });
  });

  test('responds with the status and an internal error message', async () => {
    await server.setFault({ kind: 'status', status: 503 });
    const response = await fetch(server.url);
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('internal-upstream-detail');
    await server.setFault({ kind: 'status', status: 404, body: '{}' });
    expect(await (await fetch(server.url)).text()).toBe('{}');
  });

  test('responds with invalid JSON', async () => {
    await server.setFault({ kind: 'garbage' });
    const response = await fetch(server.url);
    expect(response.headers.get('content-type')).toBe('application/json');
    await expect(response.json()).rejects.toThrow(SyntaxError);
  });

  test('responds with an HTML page', async () => {
    await server.setFault({ kind: 'wrong-type' });
    const response = await fetch(server.url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  test('redirects the client', async () => {
    await server.setFault({ kind: 'redirect', location: 'http://elsewhere.example/' });
    const response = await fetch(server.url, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, 'http://elsewhere.example/']);
  });

  test('responds with valid JSON of more than the given size', async () => {
    await server.setFault({ kind: 'huge', bytes: 1_000_000 });
    const text = await (await fetch(server.url)).text();
    expect(text.length).toBeGreaterThan(1_000_000);
    expect(Object.keys(JSON.parse(text))).toEqual(['padding']);
  });
});

describe('a service whose connection breaks', () => {
  test('refuses connections, then listens on the same port again', async () => {
    await fetch(server.url);
    await server.setFault({ kind: 'refuse' });
    expect(await causeOf(fetch(server.url))).toBe('ECONNREFUSED');
    await server.setFault({ kind: 'refuse' });
    await server.setFault(null);
    expect((await fetch(server.url)).status).toBe(200);
  });

  test('drops requests in flight when it starts to refuse connections', async () => {
    await server.setFault({ kind: 'black-hole' });
    const waiting = causeOf(fetch(server.url));
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    await server.setFault({ kind: 'refuse' });
    expect(await waiting).toBe('ECONNRESET');
    expect(server.requests[0]?.aborted).toBe(false);
  });

  test('resets the connection before any byte of the response', async () => {
    await server.setFault({ kind: 'reset' });
    expect(await causeOf(fetch(server.url))).toBe('ECONNRESET');
    expect(server.requests).toMatchObject([{ aborted: false }]);
  });

  test.each([
    ['/coverage', '{"status":"active"}'],
    ['/document', document.toString()],
  ])('sends the right headers and a part of %s, then resets', async (path, whole) => {
    await server.setFault({ kind: 'reset-body' });
    const response = await fetch(server.url + path);
    expect(response.headers.get('content-length')).toBe(String(whole.length));
    const { chunks, broken } = await received(response);
    const part = Buffer.concat(chunks).toString();
    expect(broken).toBe(true);
    expect(part.length).toBeGreaterThan(0);
    expect(part.length).toBeLessThan(whole.length);
    expect(whole.startsWith(part)).toBe(true);
    expect(server.requests[0]?.aborted).toBe(false);
  });

  test('sends the real response one byte at a time', async () => {
    await server.setFault({ kind: 'drip', everyMs: 1 });
    const response = await fetch(server.url, { method: 'POST', body: '{"draft":"claim"}' });
    const { chunks } = await received(response);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(Buffer.concat(chunks).toString()).toBe('{"draft":"claim"}');
    expect(chunks.length).toBeGreaterThan(1);
  });

  test('ends the real response when the client disconnects', async () => {
    const ended = Promise.withResolvers<void>();
    const source = await startFaultyServer((_request, response) => {
      response.once('close', ended.resolve);
      response.write('never ends');
    });
    await source.setFault({ kind: 'drip', everyMs: 1 });
    const disconnecting = new AbortController();
    await fetch(source.url, { signal: disconnecting.signal });
    disconnecting.abort();
    await ended.promise;
    await vi.waitFor(() => expect(source.requests[0]?.aborted).toBe(true));
    await source.close();
  });
});

describe('a service that never responds', () => {
  test('records that the client disconnected', async () => {
    await server.setFault({ kind: 'black-hole' });
    const disconnecting = new AbortController();
    const waiting = fetch(server.url, { method: 'POST', body: '{}', signal: disconnecting.signal });
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    disconnecting.abort();
    await expect(waiting).rejects.toThrow('aborted');
    await vi.waitFor(() => expect(server.requests[0]?.aborted).toBe(true));
  });

  test('does not call the listener when the client disconnected during the delay', async () => {
    let calls = 0;
    const slow = await startFaultyServer(() => (calls += 1));
    await slow.setFault({ kind: 'latency', ms: 60_000 });
    const disconnecting = new AbortController();
    const waiting = causeOf(fetch(slow.url, { signal: disconnecting.signal }));
    await vi.waitFor(() => expect(slow.requests).toHaveLength(1));
    disconnecting.abort();
    await waiting;
    await vi.waitFor(() => expect(slow.requests[0]?.aborted).toBe(true));
    expect(calls).toBe(0);
    await slow.close();
  });

  test('closes immediately, stays closed and releases its port', async () => {
    await server.setFault({ kind: 'black-hole' });
    const waiting = causeOf(fetch(server.url));
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    await server.close();
    expect(await waiting).toBe('ECONNRESET');
    await expect(server.setFault(null)).rejects.toThrow('closed');
    const next = createServer();
    await new Promise<void>((listening) => next.listen(server.port, '127.0.0.1', listening));
    await new Promise((stopped) => next.close(stopped));
  });
});

const echo: RequestListener = (request, response) => response.end(`${request.headers.authorization} ${request.url}`);
const read = async (url: string, path: string, authorization: string) =>
  (await fetch(url + path, { headers: { authorization } })).text();

describe('a service that makes mistakes', () => {
  test('returns the data of the first member, also if its first request names no member', async () => {
    const { url, setFault, close } = await startFaultyServer(echo);
    onTestFinished(close);
    await setFault({ kind: 'first-member' });
    expect(await read(url, '/notifications/list', 'A')).toBe('A /notifications/list');
    expect(await read(url, '/preferences/PTY-A', 'A')).toBe('A /preferences/PTY-A');
    expect(await read(url, '/preferences/PTY-B?x', 'B')).toBe('A /preferences/PTY-A?x');
  });

  test('forgets the first member when the fault is set again', async () => {
    const { url, setFault, close } = await startFaultyServer(echo);
    onTestFinished(close);
    await setFault({ kind: 'first-member' });
    await read(url, '/preferences/PTY-A', 'A');
    await setFault(null);
    await setFault({ kind: 'first-member' });
    expect(await read(url, '/preferences/PTY-B', 'B')).toBe('B /preferences/PTY-B');
  });

  test.each([
    ['a body that is not JSON', 'x'],
    ['an empty body', ''],
  ])('a service that loses writes breaks the connection for %s, and serves the next request', async (_, body) => {
    await server.setFault({ kind: 'lost-writes' });
    expect(await causeOf(fetch(server.url, { method: 'POST', body }))).toBe('UND_ERR_SOCKET');
    expect(await (await fetch(server.url, { method: 'POST', body: '{"a":1}' })).json()).toEqual({
      locator: 'CLM-LOST',
      a: 1,
    });
  });
});
