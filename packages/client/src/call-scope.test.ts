import type { RequestListener } from 'node:http';
import type { Signal } from '@portico/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { porticoClient, type PorticoClient } from './index.ts';
import { serveOther, succeeded } from './portico.test.support.ts';

/** A duration that no other timer has. */
const timeoutMs = 54_321;

const watchTimers = () => {
  const started = vi.spyOn(globalThis, 'setTimeout');
  const cleared = vi.spyOn(globalThis, 'clearTimeout');
  onTestFinished(() => {
    started.mockRestore();
    cleared.mockRestore();
  });
  const deadlines = () => started.mock.results.filter((_, index) => started.mock.calls[index]?.[1] === timeoutMs);
  const isPending = (timer: unknown) => !cleared.mock.calls.some(([one]) => one === timer);
  return {
    lengths: () => started.mock.calls.map(([, length]) => length),
    deadlines: () => deadlines().length,
    pending: () => deadlines().filter(({ value }) => isPending(value)).length,
  };
};

const countingSignal = () => {
  const listeners = new Set<() => void>();
  let added = 0;
  const signal: Signal = {
    aborted: false,
    addEventListener: (_, listener) => {
      listeners.add(listener);
      added++;
    },
    removeEventListener: (_, listener) => void listeners.delete(listener),
  };
  return { signal, added: () => added, left: () => listeners.size };
};

const respondWith =
  (status: number, mediaType: string, text = ''): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': mediaType }).end(text);

const interruptAfter =
  (mediaType: string, text: string): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-type': mediaType }).write(text, () => response.destroy());

const done = 'event: done\ndata: {"elapsed_ms":1,"traces":{}}\n\n';

type Use = (client: PorticoClient, signal: Signal) => Promise<unknown>;

const coverage: Use = async (client, signal) => client.getCoverage(signal);

const search: Use = async (client, signal) => client.search({}, signal).andThen(({ response }) => response);

const document: Use = async (client, signal) =>
  client.getDocument('DOC-1', { ifNoneMatch: '"v1"', range: 'bytes=9-' }, signal);

const contentOf = async (...[client, signal]: Parameters<Use>): Promise<AsyncIterator<Uint8Array>> => {
  const document = succeeded(await client.getDocument('DOC-1', {}, signal));
  if (!('content' in document)) throw new Error(`There is no content: ${document.outcome}`);
  return document.content[Symbol.asyncIterator]();
};

const readDocument: Use = async (client, signal) => {
  const content = await contentOf(client, signal);
  while (!(await content.next().catch(() => ({ done: true }))).done);
};

const discardDocument: Use = async (client, signal) => (await contentOf(client, signal)).return?.();

const endings: readonly (readonly [end: string, respond: RequestListener, use: Use])[] = [
  ['a JSON response', respondWith(200, 'application/json', '{}'), coverage],
  ['a response that is not JSON', respondWith(200, 'application/json', '{'), coverage],
  ['a problem', respondWith(500, 'application/problem+json', '{}'), coverage],
  ['a closed connection', ({ socket }) => void socket.destroy(), coverage],
  ['a document that is not modified', respondWith(304, 'application/pdf'), document],
  ['a document without the requested range', respondWith(416, 'application/pdf'), document],
  ['a response that is not a PDF', respondWith(200, 'text/html', '<p>'), document],
  ['the end of a document', respondWith(200, 'application/pdf', '%PDF'), readDocument],
  ['an interrupted document', interruptAfter('application/pdf', '%PDF'), readDocument],
  ['a document that is not read', respondWith(200, 'application/pdf', '%PDF'), discardDocument],
  ['the result of a search', respondWith(200, 'text/event-stream', done), search],
  ['an interrupted search', interruptAfter('text/event-stream', ': searching\n\n'), search],
  ['an invalid search result', respondWith(200, 'text/event-stream', 'event: done\ndata: {}\n\n'), search],
  ['a search response that is not an event stream', respondWith(200, 'application/json', '{}'), search],
];

/** A `fetch` that returns an empty response, without network timers. */
const emptyFetch = async () => new Response(null, { status: 204 });

describe('a call', () => {
  it.each(endings)('leaves no timer and no listener after %s', async (_, respond, use) => {
    const timers = watchTimers();
    const { signal, added, left } = countingSignal();
    const { url } = await serveOther(respond);
    await use(porticoClient({ url, timeoutMs, searchTimeoutMs: timeoutMs }), signal);
    await expect.poll(() => [left(), timers.pending()]).toEqual([0, 0]);
    expect([added(), timers.deadlines()]).toEqual([1, expect.toSatisfy((count: number) => count > 0)]);
  });

  it.each([
    ['10 s', 10_000, coverage],
    ['10 s until the first byte of a document', 10_000, document],
    ['30 s for a search', 30_000, search],
  ] as const)('a call has a default timeout of %s', async (_, length, use) => {
    const timers = watchTimers();
    await use(porticoClient({ url: 'https://portico.example.org', fetch: emptyFetch }), new AbortController().signal);
    expect(timers.lengths()).toEqual([length]);
  });
});
