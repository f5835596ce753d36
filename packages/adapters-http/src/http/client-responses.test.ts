import { upstream } from '@portico/core';
import { fakeClock } from '@portico/core/testing';
import { err } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { httpClient } from './client.ts';
import type { StreamResponse } from './response-readers.ts';
import { describeOnce, httpServer, tcpServer, valueOf, watchedSignal } from './local-servers.test.support.ts';
import type { HttpRequest } from './transport.ts';

const json = { 'content-type': 'application/json' };
const pdf = { 'content-type': 'application/pdf' };
const malformed = err(upstream('claims', 'malformed'));
const unreachable = err(upstream('claims', 'unreachable'));

const client = (settings: Parameters<typeof httpClient>[1] = {}) =>
  httpClient('claims', { clock: fakeClock(), ...settings });

const respond = (status: number, headers: Record<string, string | readonly string[]> = {}, body = '') =>
  httpServer((response) => response.writeHead(status, headers as Record<string, string | string[]>).end(body));

/** Accepts every status. */
const anyStatus = () => undefined;

describeOnce('the status of a JSON response', () => {
  it.each([
    [200, 200],
    [201, 201],
    [202, 202],
    [203, 200],
    [205, 200],
    [206, 200],
    [299, 200],
    [300, 300],
    [404, 404],
  ])('is %i, and becomes %i', async (status, kept) => {
    // Node sends no body with 205, so the server is a plain socket.
    const server = await tcpServer((socket) =>
      socket.end(`HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`),
    );
    const response = await valueOf(client().json({ method: 'GET', url: server.url }, anyStatus));
    expect([response.status, response.text]).toEqual([kept, '{}']);
  });

  it('is kept for 204, whose connection is used again', async () => {
    const server = await respond(204, { etag: '"1"' });
    const { json: send } = client();
    for (let nth = 0; nth < 3; nth++)
      expect(await valueOf(send({ method: 'DELETE', url: server.url }, anyStatus))).toEqual({
        status: 204,
        text: '',
        value: undefined,
      });
    expect(server.connections).toBeLessThanOrEqual(2);
  });
});

describeOnce('the entity tag of a JSON response', () => {
  it.each([
    ['"1"', '"1"'],
    ['W/"1"', undefined],
    ['1', undefined],
  ])('is kept when it is a strong one: %s', async (etag, kept) => {
    const { url } = await respond(200, { ...json, etag }, '{}');
    expect((await valueOf(client().json({ method: 'GET', url }, anyStatus))).etag).toBe(kept);
  });
});

describeOnce('a whole response', () => {
  it('has the bytes and headers of any media type, and a value when it is JSON', async () => {
    const bodies = ['{"a":1.10}', '<p>'];
    const server = await httpServer((response, _, nth) =>
      response.writeHead(201, { 'content-type': 'text/html', 'x-id': '7' }).end(bodies[nth - 1]),
    );
    for (const [body, value] of [
      ['{"a":1.10}', { a: 1.1 }],
      ['<p>', undefined],
    ] as const) {
      const response = await valueOf(client().text({ method: 'GET', url: server.url }, anyStatus));
      expect([response.status, response.text, response.value, String(response.bytes), response.header('x-id')]).toEqual(
        [201, body, value, body, '7'],
      );
    }
  });

  it('is too large above the limit', async () => {
    const { url } = await respond(200, json, '12345');
    const request: HttpRequest = { method: 'GET', url };
    expect((await client({ maxResponseBytes: 5 }).text(request, anyStatus)).isOk()).toBe(true);
    expect(await client({ maxResponseBytes: 4 }).text(request, anyStatus)).toEqual(
      err(upstream('claims', 'too-large')),
    );
  });

  it('ends when the signal aborts', async () => {
    const server = await httpServer((response) => response.writeHead(200, json).write('{'));
    const signal = watchedSignal();
    const response = client().text({ method: 'GET', url: server.url }, anyStatus, signal);
    await server.until(() => server.requests.length === 1);
    signal.abort();
    expect(await response).toEqual(unreachable);
    await server.until(() => server.open === 0);
    expect(signal.listeners).toBe(0);
  });
});

const contentOf = async ({ content }: StreamResponse) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

interface StreamOptions {
  readonly keepsStatus?: boolean;
  readonly method?: HttpRequest['method'];
}

const stream = (url: string, { keepsStatus = false, method = 'GET' }: StreamOptions = {}) =>
  client().stream({ method, url }, anyStatus, { type: 'application/pdf', keepsStatus });

describeOnce('a streamed response', () => {
  it.each([
    ['application/pdf', {}],
    ['Application/PDF', {}],
    ['application/pdf; version=1.7', {}],
    [' application/pdf ;x', {}],
    ['application/pdf', { 'content-encoding': 'identity' }],
  ])('has the content of a response with the type %j and %j', async (type, headers) => {
    const { url } = await respond(200, { 'content-type': type, ...headers }, '%PDF');
    expect(await contentOf(await valueOf(stream(url)))).toBe('%PDF');
  });

  it.each([
    ['application/pdfx', {}],
    ['text/html; application/pdf', {}],
    ['', {}],
    ['application/pdf', { 'content-encoding': 'gzip' }],
  ])('fails malformed with the type %j and %j, and closes the connection', async (type, headers) => {
    const server = await httpServer((response) =>
      response.writeHead(200, { 'content-type': type, ...headers }).write('canary'),
    );
    expect(await stream(server.url)).toEqual(malformed);
    await server.until(() => server.open === 0);
  });

  it.each([
    [300, false],
    [304, false],
    [416, false],
    [204, true],
    [412, true],
  ])('a response with status %i has no content (201, 202 and 204 are kept: %s)', async (status, keepsStatus) => {
    const { url } = await respond(status, { ...pdf, 'x-id': '7' }, status === 416 ? 'canary' : '');
    const response = await valueOf(stream(url, { keepsStatus }));
    expect([response.status, response.header('x-id'), await contentOf(response)]).toEqual([status, '7', '']);
  });

  it.each([200, 299])('a response to a POST with status %i has content', async (status) => {
    const { url } = await respond(status, pdf, '%PDF');
    expect(await contentOf(await valueOf(stream(url, { method: 'POST' })))).toBe('%PDF');
  });
});

/** The error of a fetch whose connection fails with this code, two causes deep. */
const reset = (code: string) => {
  const cause = Object.assign(new Error('canary'), { code });
  return new TypeError('fetch failed', { cause: new Error('between', { cause }) });
};

/** The number of attempts of a request whose every attempt fails with this error. */
const attemptsOf = async (method: HttpRequest['method'], error: unknown) => {
  let attempts = 0;
  const fetch = () => {
    attempts++;
    return Promise.reject(error);
  };
  const result = await client({ fetch }).json({ method, url: 'http://claims.test' }, anyStatus);
  expect(result).toEqual(unreachable);
  return attempts;
};

describe('a retry', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])(
    'follows a GET that fails with %s',
    async (code) => {
      expect(await attemptsOf('GET', reset(code))).toBe(2);
    },
  );

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const)('does not follow a %s', async (method) => {
    expect(await attemptsOf(method, reset('ECONNRESET'))).toBe(1);
  });

  it.each([
    ['another code', reset('ENOTFOUND')],
    ['no code', new TypeError('fetch failed')],
    ['a text', 'ECONNRESET'],
    ['an object that is no error', { code: 'ECONNRESET' }],
  ])('does not follow a GET that fails with %s', async (_, error) => {
    expect(await attemptsOf('GET', error)).toBe(1);
  });
});
