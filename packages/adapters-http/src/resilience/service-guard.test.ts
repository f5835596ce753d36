import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DocumentResponse, notFound, type Signal, upstream, upstreamStatus } from '@portico/core';
import { aMember, type FakeClock, fakeClock } from '@portico/core/testing';
import { err } from 'neverthrow';
import { beforeEach, describe, expect, it } from 'vitest';
import { downstream, type DownstreamSettings } from '../downstreams/downstream.ts';
import {
  type ReceivedRequest,
  httpServer,
  tcpServer,
  valueOf,
  watchedSignal,
} from '../http/local-servers.test.support.ts';
import type { ServiceObserver } from './service-guard.ts';

let clock: FakeClock;
let reported: string[];

beforeEach(() => {
  clock = fakeClock();
  reported = [];
});

const observer: ServiceObserver = {
  called: (service, outcome, durationMs) => reported.push(`${service} ${outcome} ${durationMs}`),
  retried: (service) => reported.push(`${service} retried`),
  circuit: (service, state) => reported.push(`${service} circuit ${state}`),
};

const json = (response: ServerResponse, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end('{}');

/** The content of a response that must have one. */
const contentOf = (document: DocumentResponse): AsyncIterable<Uint8Array> => {
  if (!('content' in document)) throw new Error(`There is no content: ${document.outcome}`);
  return document.content;
};

const documentsAt = (url: string, settings: Partial<DownstreamSettings<'documents'>> = {}) => {
  const documents = downstream('documents', { url, clock, observer, ...settings });
  return {
    list: () => documents.get('list', aMember()),
    read: (signal?: Signal) =>
      documents
        .stream('GET', 'get', aMember(), { parameters: { locator: 'DOC-1' }, signal }, 'application/pdf')
        .map((document) => ({ content: contentOf(document) })),
  };
};

const failedWith = (status: number) => err(upstreamStatus('documents', status));
const failed = (reason: 'circuit-open' | 'timeout' | 'unreachable' | 'malformed') => err(upstream('documents', reason));
const overloaded = err({ kind: 'overloaded', retryAfterSeconds: 1 });

/** Responds with the statuses in order, then repeats the last one. */
const statuses = (...list: readonly number[]) =>
  httpServer((response, _, nth) => json(response, list[Math.min(nth, list.length) - 1]));

const drain = async (content: AsyncIterable<Uint8Array>): Promise<void> => {
  for await (const _ of content) void _;
};

const times = async <T>(count: number, call: () => PromiseLike<T>): Promise<T[]> => {
  const results: T[] = [];
  for (let nth = 0; nth < count; nth++) results.push(await call());
  return results;
};

const circuits = () => reported.filter((line) => line.includes('circuit '));

describe('the circuit breaker of a service', () => {
  it('opens after the configured number of consecutive failures, then sends no requests', async () => {
    const server = await statuses(500);
    const { list } = documentsAt(server.url, { breakAfterFailures: 3 });
    expect(await times(5, list)).toEqual([...Array(3).fill(failedWith(500)), ...Array(2).fill(failed('circuit-open'))]);
    expect(server.requests.length).toBe(3);
  });

  it('does not open when successes come between failures', async () => {
    const server = await statuses(500, 500, 200, 500, 500, 200);
    const { list } = documentsAt(server.url, { breakAfterFailures: 3 });
    await times(6, list);
    expect(server.requests.length).toBe(6);
    expect(reported.filter((line) => line.includes('circuit'))).toEqual(['documents circuit closed']);
  });

  it.each([400, 401, 403, 404, 409, 422, 429])('counts a %i as a success', async (status) => {
    const server = await statuses(500, status, 500, status);
    const { list } = documentsAt(server.url, { breakAfterFailures: 2 });
    const results = await times(4, list);
    expect(results.at(-1)).toEqual(status === 404 ? err(notFound('documents')) : failedWith(status));
    expect(server.requests.length).toBe(4);
  });

  const bad: readonly (readonly [string, (response: ServerResponse) => void, ReturnType<typeof failed>])[] = [
    ['a broken connection', (response) => void response.destroy(), failed('unreachable')],
    ['a redirect', (response) => void response.writeHead(302, { location: '/' }).end(), failedWith(302)],
    [
      'HTML',
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      failed('malformed'),
    ],
  ];

  it.each(bad)('counts %s as a failure', async (_, respond, failure) => {
    const server = await httpServer((response) => respond(response));
    const { list } = documentsAt(server.url, { breakAfterFailures: 2 });
    expect(await times(3, list)).toEqual([failure, failure, failed('circuit-open')]);
  });

  it('counts a timeout as a failure', async () => {
    const server = await httpServer(() => {});
    const { list } = documentsAt(server.url, { breakAfterFailures: 1, timeoutMs: 1000 });
    const call = list();
    await expect.poll(() => server.requests.length).toBe(1);
    clock.advance(1000);
    expect(await call).toEqual(failed('timeout'));
    expect(await list()).toEqual(failed('circuit-open'));
  });

  it('stays closed when 60 calls in flight lose their connections at once and the service then recovers', async () => {
    const held: ServerResponse[] = [];
    const server = await httpServer((response) => void held.push(response));
    const { list } = documentsAt(server.url);
    const burst = Array.from({ length: 60 }, list);
    await server.until(() => held.length === 60);
    for (const response of held.splice(0)) response.destroy();
    // Ten of them are retried, which uses up the retry budget.
    await server.until(() => held.length === 10);
    for (const response of held) json(response);
    const results = await Promise.all(burst);
    expect(results.filter((result) => result.isOk())).toHaveLength(10);
    const next = list();
    await server.until(() => held.length === 11);
    json(held[10]!);
    expect((await next).isOk()).toBe(true);
    expect(circuits()).toEqual(['documents circuit closed']);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['fails with 503', (response) => json(response, 503)],
    ['resets every connection', (response) => void response.destroy()],
  ])('opens with the second wave of 60 concurrent calls when the service %s', async (_, respond) => {
    const held: ServerResponse[] = [];
    const server = await httpServer((response) => void held.push(response));
    const { list } = documentsAt(server.url);
    const wave = async () => {
      const calls = Array.from({ length: 60 }, list);
      const over = Promise.all(calls);
      await server.until(() => held.length === 60);
      for (let isOver = false; !isOver; await nextTurn()) {
        for (const response of held.splice(0)) respond(response);
        isOver = await Promise.race([over.then(() => true), nextTurn(false)]);
      }
      return over;
    };
    await wave();
    expect(circuits()).toEqual(['documents circuit closed']);
    await wave();
    expect(circuits()).toEqual(['documents circuit closed', 'documents circuit open']);
    expect(await list()).toEqual(failed('circuit-open'));
  });

  it('opens one deadline after the first timeout when no call gets a response', async () => {
    const server = await httpServer(() => {});
    const { list } = documentsAt(server.url, { timeoutMs: 1000 });
    let sent = 0;
    const calls: ReturnType<typeof list>[] = [];
    while (!circuits().includes('documents circuit open')) {
      calls.push(list());
      sent++;
      await server.until(() => server.requests.length === sent);
      clock.advance(25);
      await nextTurn();
    }
    // 1000 ms until the first timeout, 1000 ms until the calls that started after it time out, then 19 of those.
    expect(clock.monotonic()).toBeGreaterThan(2000);
    expect(clock.monotonic()).toBeLessThan(2600);
    clock.advance(1000);
    await Promise.all(calls);
  });

  it('opens at the first of several concurrent failures when the limit is one', async () => {
    const server = await statuses(500);
    const { list } = documentsAt(server.url, { breakAfterFailures: 1 });
    await Promise.all([list(), list(), list()]);
    expect(await list()).toEqual(failed('circuit-open'));
  });

  it('admits one trial call after its pause, and closes when it succeeds', async () => {
    const held: ServerResponse[] = [];
    const server = await httpServer((response, _, nth) => (nth === 1 ? json(response, 500) : held.push(response)));
    const { list } = documentsAt(server.url, { breakAfterFailures: 1, breakForMs: 5000 });
    await list();
    clock.advance(4999);
    expect(await list()).toEqual(failed('circuit-open'));
    clock.advance(1);
    const trial = list();
    await expect.poll(() => held.length).toBe(1);
    expect(await list()).toEqual(failed('circuit-open'));
    json(held[0]!);
    expect((await trial).isOk()).toBe(true);
    const next = list();
    await expect.poll(() => held.length).toBe(2);
    json(held[1]!);
    expect((await next).isOk()).toBe(true);
    expect(reported.filter((line) => line.includes('circuit '))).toEqual(
      ['closed', 'open', 'half-open', 'closed'].map((state) => `documents circuit ${state}`),
    );
  });

  it('opens for another pause when the trial call fails', async () => {
    const server = await statuses(500);
    const { list } = documentsAt(server.url, { breakAfterFailures: 1, breakForMs: 5000 });
    await list();
    clock.advance(5000);
    expect(await list()).toEqual(failedWith(500));
    clock.advance(4999);
    expect(await list()).toEqual(failed('circuit-open'));
    clock.advance(1);
    expect(await list()).toEqual(failedWith(500));
  });

  it('admits another trial call when the first one was cancelled', async () => {
    const server = await httpServer((response, { path }) => void (path.endsWith('DOC-1') || json(response, 500)));
    const { list, read } = documentsAt(server.url, { breakAfterFailures: 1, breakForMs: 5000 });
    await list();
    clock.advance(5000);
    const caller = new AbortController();
    const trial = read(caller.signal);
    await expect.poll(() => server.requests.length).toBe(2);
    caller.abort();
    await trial;
    expect(await list()).toEqual(failedWith(500));
  });

  it('does not close when a call that started before it opened succeeds', async () => {
    const held: ServerResponse[] = [];
    const server = await httpServer((response, _, nth) => (nth === 1 ? held.push(response) : json(response, 500)));
    const { list } = documentsAt(server.url, { breakAfterFailures: 1 });
    const early = list();
    await expect.poll(() => held.length).toBe(1);
    await list();
    json(held[0]!);
    expect((await early).isOk()).toBe(true);
    expect(await list()).toEqual(failed('circuit-open'));
  });

  it('the circuit breaker of a service is separate for each service', async () => {
    const server = await httpServer((response, { path }) => json(response, path.endsWith('/documents') ? 500 : 200));
    const { list } = documentsAt(server.url, { breakAfterFailures: 1 });
    const claims = downstream('claims', { url: server.url, clock, breakAfterFailures: 1 });
    await times(2, list);
    expect((await claims.get('list', aMember())).isOk()).toBe(true);
  });
});

/** Starts a server that holds its responses. Calling an item of `held` sends one. */
const holdingServer = async () => {
  const held: (() => void)[] = [];
  const server = await httpServer((response, request: ReceivedRequest) => {
    held.push(() =>
      request.path.endsWith('DOC-1')
        ? response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF')
        : json(response),
    );
  });
  return { server, held };
};

const throwsOnce = () => {
  if (reported.push('called') === 1) throw new TypeError('observer failed');
};

describe('the limit on calls to a service', () => {
  it('makes calls wait in order, and rejects calls beyond the waiting limit', async () => {
    const { server, held } = await holdingServer();
    const { list } = documentsAt(server.url, { maxInFlight: 2, maxWaiting: 2 });
    const calls = [list(), list(), list(), list()];
    expect(await list()).toEqual(overloaded);
    await expect.poll(() => held.length).toBe(2);
    expect(server.requests.length).toBe(2);
    held[0]!();
    await expect.poll(() => held.length).toBe(3);
    held[1]!();
    await expect.poll(() => held.length).toBe(4);
    for (const respond of held.slice(2)) respond();
    expect((await Promise.all(calls)).every((result) => result.isOk())).toBe(true);
  });

  it('counts the wait towards the deadline', async () => {
    const { server, held } = await holdingServer();
    const { list } = documentsAt(server.url, { maxInFlight: 1, timeoutMs: 1000 });
    const first = list();
    await expect.poll(() => held.length).toBe(1);
    clock.advance(500);
    const second = list();
    clock.advance(500);
    expect(await first).toEqual(failed('timeout'));
    await expect.poll(() => held.length).toBe(2);
    const third = list();
    clock.advance(500);
    expect(await second).toEqual(failed('timeout'));
    await expect.poll(() => held.length).toBe(3);
    clock.advance(500);
    expect(await third).toEqual(failed('timeout'));
    expect(reported.filter((line) => line.includes('timeout'))).toEqual(Array(3).fill('documents timeout 1000'));
  });

  it('fails overloaded when the deadline passes during the wait', async () => {
    const { server, held } = await holdingServer();
    const { list } = documentsAt(server.url, { maxInFlight: 1, timeoutMs: 1000 });
    const first = list();
    await expect.poll(() => held.length).toBe(1);
    const second = list();
    clock.advance(1000);
    expect([await first, await second]).toEqual([failed('timeout'), overloaded]);
    expect(server.requests.length).toBe(1);
  });

  it('frees the place in the queue of a cancelled call', async () => {
    const { held, server } = await holdingServer();
    const { list, read } = documentsAt(server.url, { maxInFlight: 1, maxWaiting: 1 });
    const first = list();
    await expect.poll(() => held.length).toBe(1);
    const caller = new AbortController();
    const second = read(caller.signal);
    caller.abort();
    await second;
    const third = list();
    held[0]!();
    await expect.poll(() => held.length).toBe(2);
    held[1]!();
    expect((await first).isOk() && (await third).isOk()).toBe(true);
    expect(server.requests.length).toBe(2);
  });

  it('leaves no timer and no listener after a rejected call', async () => {
    const { held, server } = await holdingServer();
    const { list, read } = documentsAt(server.url, { maxInFlight: 1, maxWaiting: 0 });
    const first = list();
    await expect.poll(() => held.length).toBe(1);
    const signal = watchedSignal();
    expect(await read(signal)).toEqual(overloaded);
    expect([clock.scheduled, signal.listeners]).toEqual([1, 0]);
    held[0]!();
    expect((await first).isOk()).toBe(true);
  });

  it('completes a call although its observer throws, and its place is free afterwards', async () => {
    const { held, server } = await holdingServer();
    const { list } = documentsAt(server.url, { maxInFlight: 1, maxWaiting: 0, observer: { called: throwsOnce } });
    const observed = list();
    await expect.poll(() => held.length).toBe(1);
    held[0]!();
    expect((await observed).isOk()).toBe(true);
    const next = list();
    expect(await list()).toEqual(overloaded);
    await expect.poll(() => held.length).toBe(2);
    held[1]!();
    expect((await next).isOk()).toBe(true);
  });

  it('counts a document as in flight until its last byte has arrived', async () => {
    const bodies: ServerResponse[] = [];
    const server = await httpServer((response) => {
      bodies.push(response);
      response.writeHead(200, { 'content-type': 'application/pdf' }).write('%PDF');
    });
    const { read } = documentsAt(server.url, { maxInFlight: 2, maxWaiting: 0 });
    const results = await Promise.all(Array.from({ length: 100 }, () => read()));
    expect(results.filter((result) => result.isOk())).toHaveLength(2);
    expect(results.filter((result) => result.isErr())).toEqual(Array(98).fill(overloaded));
    expect(server.connections).toBe(2);

    for (const body of bodies) body.end();
    for (const result of results) if (result.isOk()) await drain(result.value.content);
    expect((await read()).isOk()).toBe(true);
    expect((await read()).isOk()).toBe(true);
    expect(await read()).toEqual(overloaded);
  });

  it('frees the slot of a document that is returned early, cancelled or interrupted', async () => {
    const bodies: ServerResponse[] = [];
    const server = await httpServer((response) => {
      bodies.push(response);
      response.writeHead(200, { 'content-type': 'application/pdf' }).write('%PDF');
    });
    const { read } = documentsAt(server.url, { maxInFlight: 1, maxWaiting: 0 });

    const stopped = await valueOf(read());
    for await (const _ of stopped.content) break;

    const caller = new AbortController();
    expect((await read(caller.signal)).isOk()).toBe(true);
    caller.abort();

    const broken = await valueOf(read());
    bodies[2]!.destroy();
    await expect(drain(broken.content)).rejects.toThrow('The stream was interrupted.');

    const stalled = await valueOf(read());
    const stalling = expect(drain(stalled.content)).rejects.toThrow('The stream stalled.');
    await nextTurn();
    clock.advance(5000);
    await stalling;

    expect((await read()).isOk()).toBe(true);
  });

  it('keeps the deadline of waiting calls while documents occupy every slot', async () => {
    const server = await httpServer((response) => {
      response.writeHead(200, { 'content-type': 'application/pdf' }).write('%PDF');
    });
    const { read, list } = documentsAt(server.url, { maxInFlight: 1, timeoutMs: 1000 });
    expect((await read()).isOk()).toBe(true);
    const waiting = [list(), list()];
    clock.advance(1000);
    expect(await Promise.all(waiting)).toEqual([overloaded, overloaded]);
    expect(server.requests.length).toBe(1);
  });

  it.each([404, 500])('counts a %i as in flight until its body ends or its deadline passes', async (status) => {
    const bodies: ServerResponse[] = [];
    const server = await httpServer((response) => {
      response.writeHead(status).write('{');
      bodies.push(response);
    });
    const { list } = documentsAt(server.url, { maxInFlight: 2, maxWaiting: 0 });
    const expected = status === 404 ? err(notFound('documents')) : failedWith(status);
    expect(await Promise.all([list(), list(), list()])).toEqual([expected, expected, overloaded]);
    expect(server.connections).toBe(2);

    bodies[0]!.end('}');
    await expect.poll(list, { interval: 1 }).toEqual(expected);
    expect(await list()).toEqual(overloaded);

    clock.advance(5000);
    await server.until(() => server.open === 0);
    expect(await list()).toEqual(expected);
  });
});

describe('the retry budget', () => {
  it('limits the retries of GET requests when every connection is reset', async () => {
    const server = await tcpServer((socket) => socket.resetAndDestroy());
    const { list } = documentsAt(server.url, { breakAfterFailures: 1000 });
    await times(30, list);
    // Ten initial retries, and one more for every ten calls.
    expect(server.requests.length).toBe(30 + 12);
    expect(reported.filter((line) => line === 'documents retried').length).toBe(12);
  });

  it('refills with successful calls', async () => {
    let isBroken = true;
    const server = await httpServer((response) => void (isBroken ? response.destroy() : json(response)));
    const { list } = documentsAt(server.url, { breakAfterFailures: 1000 });
    await times(30, list);
    isBroken = false;
    await times(20, list);
    isBroken = true;
    reported = [];
    await times(5, list);
    expect(reported.filter((line) => line === 'documents retried').length).toBe(3);
  });
});

it('the service guard reports the outcome of each call with only the name of the service', async () => {
  const server = await statuses(200, 404, 401, 500);
  const { list } = documentsAt(server.url, { breakAfterFailures: 1 });
  await times(5, list);
  expect(reported).toEqual([
    'documents circuit closed',
    'documents ok 0',
    'documents not-found 0',
    'documents status 0',
    'documents circuit open',
    'documents status 0',
    'documents circuit-open 0',
  ]);
});
