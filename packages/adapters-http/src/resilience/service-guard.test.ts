import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { notFound, type Signal, upstream } from '@portico/core';
import { aMember, type FakeClock, fakeClock } from '@portico/core/testing';
import { err } from 'neverthrow';
import { beforeEach, describe, expect, it } from 'vitest';
import { downstream, type DownstreamSettings } from '../downstreams/downstream.ts';
import { type Heard, httpServer, tcpServer, valueOf, watchedSignal } from '../http/local-servers.test.support.ts';
import type { ServiceObserver } from './service-guard.ts';

let clock: FakeClock;
let told: string[];

beforeEach(() => {
  clock = fakeClock();
  told = [];
});

const observer: ServiceObserver = {
  called: (service, outcome, durationMs) => told.push(`${service} ${outcome} ${durationMs}`),
  repeated: (service) => told.push(`${service} repeated`),
  circuit: (service, state) => told.push(`${service} circuit ${state}`),
};

const json = (response: ServerResponse, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end('{}');

const is200 = (status: number) => status === 200;

const documentsAt = (url: string, settings: Partial<DownstreamSettings<'documents'>> = {}) => {
  const documents = downstream('documents', { url, clock, observer, ...settings });
  return {
    list: () => documents.get('list', aMember()),
    read: (signal?: Signal) =>
      documents.stream('get', aMember(), { locator: 'DOC-1' }, 'application/pdf', is200, signal),
  };
};

const failed = (reason: 'status' | 'circuit-open' | 'timeout' | 'unreachable' | 'malformed') =>
  err(upstream('documents', reason));
const overloaded = err({ kind: 'overloaded', retryAfterSeconds: 1 });

/** Answers with the statuses in their order, then with the last one. */
const statuses = (...list: readonly number[]) =>
  httpServer((response, _, nth) => json(response, list[Math.min(nth, list.length) - 1]));

const drain = async (content: AsyncIterable<Uint8Array>): Promise<void> => {
  for await (const _ of content) void _;
};

const times = async <T>(count: number, ask: () => PromiseLike<T>): Promise<T[]> => {
  const results: T[] = [];
  for (let nth = 0; nth < count; nth++) results.push(await ask());
  return results;
};

const circuits = () => told.filter((line) => line.includes('circuit '));

describe('the circuit breaker of a service', () => {
  it('opens after so many failures in a row: then the service is left alone', async () => {
    const server = await statuses(500);
    const { list } = documentsAt(server.url, { breakAfterFailures: 3 });
    expect(await times(5, list)).toEqual([
      ...Array(3).fill(failed('status')),
      ...Array(2).fill(failed('circuit-open')),
    ]);
    expect(server.requests.length).toBe(3);
  });

  it('does not open while good answers come between', async () => {
    const server = await statuses(500, 500, 200, 500, 500, 200);
    const { list } = documentsAt(server.url, { breakAfterFailures: 3 });
    await times(6, list);
    expect(server.requests.length).toBe(6);
    expect(told.filter((line) => line.includes('circuit'))).toEqual(['documents circuit closed']);
  });

  it.each([400, 401, 403, 404, 409, 422, 429])('never counts a %i, and takes it as a sign of life', async (status) => {
    const server = await statuses(500, status, 500, status);
    const { list } = documentsAt(server.url, { breakAfterFailures: 2 });
    const results = await times(4, list);
    expect(results.at(-1)).toEqual(status === 404 ? err(notFound('documents')) : failed('status'));
    expect(server.requests.length).toBe(4);
  });

  const bad: readonly (readonly [
    string,
    (response: ServerResponse) => void,
    'unreachable' | 'status' | 'malformed',
  ])[] = [
    ['a broken connection', (response) => void response.destroy(), 'unreachable'],
    ['a redirect', (response) => void response.writeHead(302, { location: '/' }).end(), 'status'],
    ['HTML', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), 'malformed'],
  ];

  it.each(bad)('counts %s', async (_, answer, reason) => {
    const server = await httpServer((response) => answer(response));
    const { list } = documentsAt(server.url, { breakAfterFailures: 2 });
    expect(await times(3, list)).toEqual([failed(reason), failed(reason), failed('circuit-open')]);
  });

  it('counts a timeout', async () => {
    const server = await httpServer(() => {});
    const { list } = documentsAt(server.url, { breakAfterFailures: 1, timeoutMs: 1000 });
    const asked = list();
    await expect.poll(() => server.requests.length).toBe(1);
    clock.advance(1000);
    expect(await asked).toEqual(failed('timeout'));
    expect(await list()).toEqual(failed('circuit-open'));
  });

  it('stays closed when 60 calls in flight lose their connections at once and the service then recovers', async () => {
    const held: ServerResponse[] = [];
    const server = await httpServer((response) => void held.push(response));
    const { list } = documentsAt(server.url);
    const burst = Array.from({ length: 60 }, list);
    await server.until(() => held.length === 60);
    for (const response of held.splice(0)) response.destroy();
    // Ten of them are repeated: that many repetitions are saved up.
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
  ])('opens with the second wave of 60 concurrent calls when the service %s', async (_, answer) => {
    const held: ServerResponse[] = [];
    const server = await httpServer((response) => void held.push(response));
    const { list } = documentsAt(server.url);
    const wave = async () => {
      const calls = Array.from({ length: 60 }, list);
      const over = Promise.all(calls);
      await server.until(() => held.length === 60);
      for (let isOver = false; !isOver; await nextTurn()) {
        for (const response of held.splice(0)) answer(response);
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

  it('opens one deadline after the first timeout when calls keep coming and none is answered', async () => {
    const server = await httpServer(() => {});
    const { list } = documentsAt(server.url, { timeoutMs: 1000 });
    let asked = 0;
    const calls: ReturnType<typeof list>[] = [];
    while (!circuits().includes('documents circuit open')) {
      calls.push(list());
      asked++;
      await server.until(() => server.requests.length === asked);
      clock.advance(10);
      await nextTurn();
    }
    // 1000 ms until the first timeout, 1000 ms until the calls that began after it time out, then 19 of those.
    expect(clock.monotonic()).toBeGreaterThan(2000);
    expect(clock.monotonic()).toBeLessThan(2300);
    clock.advance(1000);
    await Promise.all(calls);
  });

  it('opens at the first of several concurrent failures when one failure is enough', async () => {
    const server = await statuses(500);
    const { list } = documentsAt(server.url, { breakAfterFailures: 1 });
    await Promise.all([list(), list(), list()]);
    expect(await list()).toEqual(failed('circuit-open'));
  });

  it('lets one call through after its pause, and closes when that is answered', async () => {
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
    expect(told.filter((line) => line.includes('circuit '))).toEqual(
      ['closed', 'open', 'half-open', 'closed'].map((state) => `documents circuit ${state}`),
    );
  });

  it('opens again, for another pause, when that one call fails too', async () => {
    const server = await statuses(500);
    const { list } = documentsAt(server.url, { breakAfterFailures: 1, breakForMs: 5000 });
    await list();
    clock.advance(5000);
    expect(await list()).toEqual(failed('status'));
    clock.advance(4999);
    expect(await list()).toEqual(failed('circuit-open'));
    clock.advance(1);
    expect(await list()).toEqual(failed('status'));
  });

  it('tries anew when whoever asked the trial question has left', async () => {
    const server = await httpServer((response, { path }) => void (path.endsWith('DOC-1') || json(response, 500)));
    const { list, read } = documentsAt(server.url, { breakAfterFailures: 1, breakForMs: 5000 });
    await list();
    clock.advance(5000);
    const leaving = new AbortController();
    const trial = read(leaving.signal);
    await expect.poll(() => server.requests.length).toBe(2);
    leaving.abort();
    await trial;
    expect(await list()).toEqual(failed('status'));
  });

  it('does not let what began before it opened close it', async () => {
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

  it("is each service's own", async () => {
    const server = await httpServer((response, { path }) => json(response, path.endsWith('/documents') ? 500 : 200));
    const { list } = documentsAt(server.url, { breakAfterFailures: 1 });
    const claims = downstream('claims', { url: server.url, clock, breakAfterFailures: 1 });
    await times(2, list);
    expect((await claims.get('list', aMember())).isOk()).toBe(true);
  });
});

/** A server whose answers are held back until they are let go, one by one. */
const holding = async () => {
  const held: (() => void)[] = [];
  const server = await httpServer((response, heard: Heard) => {
    held.push(() =>
      heard.path.endsWith('DOC-1')
        ? response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF')
        : json(response),
    );
  });
  return { server, held };
};

const throwsOnce = () => {
  if (told.push('told') === 1) throw new TypeError('not today');
};

describe('the limit on calls to a service', () => {
  it('makes calls wait for their turn, in order, and turns away those for whom there is no room', async () => {
    const { server, held } = await holding();
    const { list } = documentsAt(server.url, { maxInFlight: 2, maxWaiting: 2 });
    const asked = [list(), list(), list(), list()];
    expect(await list()).toEqual(overloaded);
    await expect.poll(() => held.length).toBe(2);
    expect(server.requests.length).toBe(2);
    held[0]!();
    await expect.poll(() => held.length).toBe(3);
    held[1]!();
    await expect.poll(() => held.length).toBe(4);
    for (const answer of held.slice(2)) answer();
    expect((await Promise.all(asked)).every((result) => result.isOk())).toBe(true);
  });

  it('lets the waiting count towards the deadline, and does not ask for whom it is over', async () => {
    const { server, held } = await holding();
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
    expect(told.filter((line) => line.includes('timeout'))).toEqual(Array(3).fill('documents timeout 1000'));
  });

  it('says that we are full when the deadline comes while still waiting', async () => {
    const { server, held } = await holding();
    const { list } = documentsAt(server.url, { maxInFlight: 1, timeoutMs: 1000 });
    const first = list();
    await expect.poll(() => held.length).toBe(1);
    const second = list();
    clock.advance(1000);
    expect([await first, await second]).toEqual([failed('timeout'), overloaded]);
    expect(server.requests.length).toBe(1);
  });

  it('gives the place up when whoever waits for it leaves', async () => {
    const { held, server } = await holding();
    const { list, read } = documentsAt(server.url, { maxInFlight: 1, maxWaiting: 1 });
    const first = list();
    await expect.poll(() => held.length).toBe(1);
    const leaving = new AbortController();
    const second = read(leaving.signal);
    leaving.abort();
    await second;
    const third = list();
    held[0]!();
    await expect.poll(() => held.length).toBe(2);
    held[1]!();
    expect((await first).isOk() && (await third).isOk()).toBe(true);
    expect(server.requests.length).toBe(2);
  });

  it('leaves neither a timer nor a listener behind for a call that is refused', async () => {
    const { held, server } = await holding();
    const { list, read } = documentsAt(server.url, { maxInFlight: 1, maxWaiting: 0 });
    const first = list();
    await expect.poll(() => held.length).toBe(1);
    const signal = watchedSignal();
    expect(await read(signal)).toEqual(overloaded);
    expect([clock.scheduled, signal.listeners]).toEqual([1, 0]);
    held[0]!();
    expect((await first).isOk()).toBe(true);
  });

  it('is the same after an observer has thrown', async () => {
    const { held, server } = await holding();
    const { list } = documentsAt(server.url, { maxInFlight: 1, maxWaiting: 0, observer: { called: throwsOnce } });
    const thrown = expect(list()).rejects.toThrow('not today');
    await expect.poll(() => held.length).toBe(1);
    held[0]!();
    await thrown;
    const next = list();
    expect(await list()).toEqual(overloaded);
    await expect.poll(() => held.length).toBe(2);
    held[1]!();
    expect((await next).isOk()).toBe(true);
  });

  it('keeps the place of a document until its last byte has arrived', async () => {
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

  it('frees the place of a document whose reader stops, is cancelled, or loses the service', async () => {
    const bodies: ServerResponse[] = [];
    const server = await httpServer((response) => {
      bodies.push(response);
      response.writeHead(200, { 'content-type': 'application/pdf' }).write('%PDF');
    });
    const { read } = documentsAt(server.url, { maxInFlight: 1, maxWaiting: 0 });

    const stopped = await valueOf(read());
    for await (const _ of stopped.content) break;

    const leaving = new AbortController();
    expect((await read(leaving.signal)).isOk()).toBe(true);
    leaving.abort();

    const broken = await valueOf(read());
    bodies[2]!.destroy();
    await expect(drain(broken.content)).rejects.toThrow('The stream broke off.');

    const stalled = await valueOf(read());
    const stalling = expect(drain(stalled.content)).rejects.toThrow('The stream stalled.');
    await nextTurn();
    clock.advance(5000);
    await stalling;

    expect((await read()).isOk()).toBe(true);
  });

  it('keeps the deadline of calls that wait while documents hold every place', async () => {
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

  it.each([404, 500])('keeps the place of a %i until its body has ended or its deadline passes', async (status) => {
    const bodies: ServerResponse[] = [];
    const server = await httpServer((response) => {
      response.writeHead(status).write('{');
      bodies.push(response);
    });
    const { list } = documentsAt(server.url, { maxInFlight: 2, maxWaiting: 0 });
    const answered = status === 404 ? err(notFound('documents')) : failed('status');
    expect(await Promise.all([list(), list(), list()])).toEqual([answered, answered, overloaded]);
    expect(server.connections).toBe(2);

    bodies[0]!.end('}');
    await expect.poll(list, { interval: 1 }).toEqual(answered);
    expect(await list()).toEqual(overloaded);

    clock.advance(5000);
    await server.until(() => server.open === 0);
    expect(await list()).toEqual(answered);
  });
});

describe('the budget of repetitions', () => {
  it('repeats a GET whose connection was reset, but not many when everything is reset', async () => {
    const server = await tcpServer((socket) => socket.resetAndDestroy());
    const { list } = documentsAt(server.url, { breakAfterFailures: 1000 });
    await times(30, list);
    // Ten at first, and a tenth for each call.
    expect(server.requests.length).toBe(30 + 12);
    expect(told.filter((line) => line === 'documents repeated').length).toBe(12);
  });

  it('fills up again with calls that go well', async () => {
    let isBroken = true;
    const server = await httpServer((response) => void (isBroken ? response.destroy() : json(response)));
    const { list } = documentsAt(server.url, { breakAfterFailures: 1000 });
    await times(30, list);
    isBroken = false;
    await times(20, list);
    isBroken = true;
    told = [];
    await times(5, list);
    expect(told.filter((line) => line === 'documents repeated').length).toBe(3);
  });
});

it('tells how each call ended, and names nothing but the service', async () => {
  const server = await statuses(200, 404, 401, 500);
  const { list } = documentsAt(server.url, { breakAfterFailures: 1 });
  await times(5, list);
  expect(told).toEqual([
    'documents circuit closed',
    'documents ok 0',
    'documents not-found 0',
    'documents status 0',
    'documents circuit open',
    'documents status 0',
    'documents circuit-open 0',
  ]);
});
