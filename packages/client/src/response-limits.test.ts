import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import { collectDefaults, maxPageBytes } from '@portico/core';
import { err } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { clientDefaults, porticoClient, type PorticoClientSettings } from './index.ts';
import { serveOther, succeeded } from './portico.test.support.ts';

const limitBytes = 100_000;
const tooLarge = err({ kind: 'response-too-large', limitBytes });
const request = { persona: 'member', query: 'dental cover', user_id: 'u-1' };

/** Starts with `head` and repeats `more` until the connection is closed. */
const endless = (head: string, more: string) =>
  Readable.from(
    (function* () {
      yield head;
      for (;;) yield more.repeat(1000);
    })(),
  );

/** Serves such a response to one client. `closed` resolves when the client has closed the connection. */
const serve = async (
  status: number,
  headers: Readonly<Record<string, string>>,
  send: (response: ServerResponse) => void,
  settings: Partial<PorticoClientSettings> = {},
) => {
  const closed = Promise.withResolvers<void>();
  const { url } = await serveOther((_, response) => {
    response.once('close', closed.resolve);
    send(response.writeHead(status, headers));
  });
  const limits = { maxResponseBytes: limitBytes, maxSearchBytes: limitBytes, maxDocumentBytes: limitBytes };
  return { client: porticoClient({ url, ...limits, ...settings }), closed: closed.promise };
};

describe('a response without an end', () => {
  it.each([
    ['JSON', 200, 'application/json'],
    ['problem details', 500, 'application/problem+json'],
  ])('an endless response of %s fails response-too-large, and is cancelled', async (_, status, type) => {
    const { client, closed } = await serve(status, { 'content-type': type }, (response) => {
      endless('"', 'x').pipe(response);
    });
    expect(await client.getCoverage()).toEqual(tooLarge);
    await closed;
  });

  it('a response without an end is counted after decompression', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const { client, closed } = await serve(200, headers, (response) => {
      endless('"', 'x').pipe(createGzip()).pipe(response);
    });
    expect(await client.getCoverage()).toEqual(tooLarge);
    await closed;
  });

  it('an endless document fails response-too-large when it is read as a whole', async () => {
    const { client, closed } = await serve(200, { 'content-type': 'application/pdf' }, (response) => {
      endless('%PDF', 'x').pipe(response);
    });
    expect(await client.getDocumentBlob('DOC-1')).toEqual(tooLarge);
    await closed;
  });

  it.each([
    ['a line that never ends', 'data: ', 'x'],
    ['an event that never ends', '', 'data: x\n'],
    ['comments', '', ': x\n\n'],
    ['events of another kind', '', 'event: other\ndata: x\n\n'],
  ])('an endless response to a search fails response-too-large: %s', async (_, head, more) => {
    const { client, closed } = await serve(200, { 'content-type': 'text/event-stream' }, (response) => {
      endless(head, more).pipe(response);
    });
    const { legs, response } = succeeded(await client.search(request));
    expect(await response).toEqual(tooLarge);
    expect(await legs[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
    await closed;
  });
});

it('the client accepts a response of exactly the limit', async () => {
  const text = `"${'x'.repeat(limitBytes - 2)}"`;
  for (const [headers, body] of [
    [{}, text],
    [{ 'content-encoding': 'gzip' }, gzipSync(text)],
  ] as const) {
    const { client } = await serve(200, { 'content-type': 'application/json', ...headers }, (response) => {
      response.end(body);
    });
    expect(succeeded(await client.getCoverage()).text).toBe(text);
  }
});

it('the client reads by default what one leg may collect: as callbacks, as the leg, and as the whole response', () => {
  expect(clientDefaults.maxSearchBytes).toBeGreaterThan(3 * collectDefaults.maxBytes);
});

it('the client reads by default a page of the largest size, with the names of its parts', () => {
  expect(clientDefaults.maxResponseBytes).toBeGreaterThan(maxPageBytes);
});

it('the client throws a TypeError for a limit that is not positive', () => {
  for (const limit of ['maxResponseBytes', 'maxSearchBytes', 'maxDocumentBytes'])
    for (const bytes of [0, -1, Number.NaN])
      expect(() => porticoClient({ url: 'http://portico.test', [limit]: bytes })).toThrow(TypeError);
});
