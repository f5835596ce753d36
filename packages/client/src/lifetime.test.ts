import type { RequestListener } from 'node:http';
import type { Signal } from '@portico/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { porticoClient, type PorticoClient } from './index.ts';
import { serveOther, succeeded } from './portico.test.support.ts';

/** A length that no other timer has. */
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

const answering =
  (status: number, mediaType: string, text = ''): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': mediaType }).end(text);

const breakingOff =
  (mediaType: string, text: string): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-type': mediaType }).write(text, () => response.destroy());

const done = 'event: done\ndata: {"elapsed_ms":1,"traces":{}}\n\n';

type Act = (client: PorticoClient, signal: Signal) => Promise<unknown>;

const coverage: Act = async (client, signal) => client.getCoverage(signal);

const search: Act = async (client, signal) => client.search({}, signal).andThen(({ answer }) => answer);

const document: Act = async (client, signal) =>
  client.getDocument('DOC-1', { ifNoneMatch: '"v1"', range: 'bytes=9-' }, signal);

const contentOf = async (...[client, signal]: Parameters<Act>): Promise<AsyncIterator<Uint8Array>> => {
  const answer = succeeded(await client.getDocument('DOC-1', {}, signal));
  if (!('content' in answer)) throw new Error(`there is no content: ${answer.outcome}`);
  return answer.content[Symbol.asyncIterator]();
};

const readDocument: Act = async (client, signal) => {
  const content = await contentOf(client, signal);
  while (!(await content.next().catch(() => ({ done: true }))).done);
};

const leaveDocument: Act = async (client, signal) => (await contentOf(client, signal)).return?.();

const endings: readonly (readonly [end: string, answer: RequestListener, act: Act])[] = [
  ['its answer', answering(200, 'application/json', '{}'), coverage],
  ['an answer that is no JSON', answering(200, 'application/json', '{'), coverage],
  ['a problem', answering(500, 'application/problem+json', '{}'), coverage],
  ['a server that hangs up', ({ socket }) => void socket.destroy(), coverage],
  ['a document that is known already', answering(304, 'application/pdf'), document],
  ['a document without such a part', answering(416, 'application/pdf'), document],
  ['a document that is none', answering(200, 'text/html', '<p>'), document],
  ['the end of a document', answering(200, 'application/pdf', '%PDF'), readDocument],
  ['a document that breaks off', breakingOff('application/pdf', '%PDF'), readDocument],
  ['a document that nobody wants to read', answering(200, 'application/pdf', '%PDF'), leaveDocument],
  ['the answer to a search', answering(200, 'text/event-stream', done), search],
  ['a search that breaks off', breakingOff('text/event-stream', ': searching\n\n'), search],
  ['a search that is none', answering(200, 'text/event-stream', 'event: done\ndata: {}\n\n'), search],
  ['a search without a stream', answering(200, 'application/json', '{}'), search],
];

/** A server that says nothing, without a network and its timers. */
const nothing = async () => new Response(null, { status: 204 });

describe('a call', () => {
  it.each(endings)('leaves no timer and no listener behind after %s', async (_, answer, act) => {
    const timers = watchTimers();
    const { signal, added, left } = countingSignal();
    const { url } = await serveOther(answer);
    await act(porticoClient({ url, timeoutMs, searchTimeoutMs: timeoutMs }), signal);
    await expect.poll(() => [left(), timers.pending()]).toEqual([0, 0]);
    expect([added(), timers.deadlines()]).toEqual([1, expect.toSatisfy((count: number) => count > 0)]);
  });

  it.each([
    ['10 s', 10_000, coverage],
    ['10 s until it begins, as a document', 10_000, document],
    ['30 s, as a search', 30_000, search],
  ] as const)('has %s when nothing else is said', async (_, length, act) => {
    const timers = watchTimers();
    await act(porticoClient({ url: 'https://portico.example.org', fetch: nothing }), new AbortController().signal);
    expect(timers.lengths()).toEqual([length]);
  });
});
