import { upstream } from '@portico/core';
import { type FakeClock, fakeClock } from '@portico/core/testing';
import { err } from 'neverthrow';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Guard } from '../resilience/service-guard.ts';
import { httpClient } from './client.ts';
import { kyTransport } from './ky-transport.ts';
import { watchedSignal } from './local-servers.test.support.ts';

let clock: FakeClock;
let events: unknown[];

beforeEach(() => {
  clock = fakeClock();
  events = [];
});

const request = { method: 'GET', url: 'http://claims.test' } as const;

/** A client with this fetch, whose guard admits each call like this and records its calls in `events`. */
const clientOf = (
  respond: (signal: AbortSignal) => Response | Promise<Response>,
  acquire: Guard['acquire'] = () => 7,
  canRetry = true,
) =>
  httpClient(
    'claims',
    { clock, maxResponseBytes: 10 },
    kyTransport(async (sent) => respond((sent as Request).signal)),
    {
      acquire,
      settle: (permit, _, outcome, isFault) => void events.push([permit, outcome, isFault]),
      release: () => void events.push('released'),
      canRetry: () => {
        events.push('may it retry?');
        return canRetry;
      },
    },
  );

/** Never responds. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<Response>((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

const classify = (status: number) => (status > 299 ? upstream('claims', 'status') : undefined);

const json = (body: string, status = 200) =>
  new Response(body, { status, headers: { 'content-type': 'application/json' } });

const released = () => expect.poll(() => events, { interval: 1 });

describe('the outcome of a call for its guard', () => {
  it.each<[string, boolean, () => Response]>([
    ['ok', false, () => json('{}')],
    ['status', false, () => json('{}', 400)],
    ['not-found', false, () => json('{}', 404)],
    ['status', false, () => json('{}', 499)],
    ['status', true, () => json('{}', 399)],
    ['status', true, () => json('{}', 500)],
    ['malformed', true, () => json('{')],
    ['malformed', true, () => new Response('{}')],
    ['too-large', true, () => json('12345678901')],
  ])('is %s, a fault of the service: %s', async (outcome, isFault, respond) => {
    const result = await clientOf(respond).json(request, classify);
    expect(result.isOk()).toBe(outcome === 'ok');
    await released().toEqual([[7, outcome, isFault], 'released']);
  });

  it('is unreachable, a fault of the service, when the connection fails for a reason that is not retried', async () => {
    const failing = clientOf(() => Promise.reject(new TypeError('canary')));
    expect(await failing.json(request, classify)).toEqual(err(upstream('claims', 'unreachable')));
    expect(events).toEqual([[7, 'unreachable', true], 'released']);
  });

  it.each([
    [true, 2],
    [false, 1],
  ])(
    'is unreachable after a reset connection, which is retried if the guard permits it: %s',
    async (canRetry, times) => {
      let attempts = 0;
      const reset = () => {
        attempts++;
        return Promise.reject(Object.assign(new Error('canary'), { code: 'ECONNRESET' }));
      };
      await clientOf(reset, undefined, canRetry).json(request, classify);
      expect(attempts).toBe(times);
      expect(events).toEqual(['may it retry?', [7, 'unreachable', true], 'released']);
    },
  );

  it('is a timeout, a fault of the service, when the deadline passes', async () => {
    const call = clientOf(untilAborted).json(request, classify);
    clock.advance(5000);
    expect(await call).toEqual(err(upstream('claims', 'timeout')));
    expect(events).toEqual([[7, 'timeout', true], 'released']);
  });

  it('is cancelled when the caller cancels', async () => {
    const signal = watchedSignal();
    const call = clientOf(untilAborted).text(request, classify, signal);
    signal.abort();
    expect(await call).toEqual(err(upstream('claims', 'unreachable')));
    expect(events).toEqual([[7, 'cancelled', true], 'released']);
  });
});

describe('a call that its guard does not admit', () => {
  it.each([
    ['at once', false],
    ['after a wait', true],
  ])('fails %s without a request, a timer or a slot', async (_, waits) => {
    let sent = 0;
    const respond = () => {
      sent++;
      return json('{}');
    };
    for (const [rejection, failure] of [
      ['circuit-open', upstream('claims', 'circuit-open')],
      ['overloaded', { kind: 'overloaded', retryAfterSeconds: 1 }],
    ] as const) {
      const refusing = clientOf(respond, () => (waits ? Promise.resolve(rejection) : rejection));
      expect(await refusing.json(request, classify)).toEqual(err(failure));
    }
    expect([sent, events, clock.scheduled]).toEqual([0, [], 0]);
  });

  it('is sent when it is admitted after a wait', async () => {
    const admitted = Promise.withResolvers<number>();
    const call = clientOf(
      () => json('{}'),
      () => admitted.promise,
    ).json(request, classify);
    admitted.resolve(3);
    expect((await call).isOk()).toBe(true);
    await released().toEqual([[3, 'ok', false], 'released']);
  });
});
