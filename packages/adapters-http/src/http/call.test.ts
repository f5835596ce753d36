import { type FakeClock, fakeClock } from '@portico/core/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Guard } from '../resilience/service-guard.ts';
import { Call } from './call.ts';
import { watchedSignal } from './local-servers.test.support.ts';
import type { Exchange, Head } from './transport.ts';

let clock: FakeClock;
let events: unknown[];

beforeEach(() => {
  clock = fakeClock();
  events = [];
});

/** A guard that records its calls in `events`. */
const guard = (
  settle: Guard['settle'] = (permit, _, outcome, isFault) => void events.push([permit, outcome, isFault]),
) =>
  ({
    acquire: () => 0,
    settle,
    release: () => void events.push('released'),
    canRetry: () => true,
  }) satisfies Guard;

const head: Head = { status: 200, header: () => undefined, names: () => [] };

/** An exchange that records `aborted` in `events`, and whose rest is this. */
const exchange = (rest: () => Promise<Buffer | undefined> = () => new Promise(() => {})): Exchange => ({
  head: Promise.resolve(head),
  hasStarted: false,
  bytes: async (limit) => {
    events.push(`up to ${limit} bytes`);
    return rest();
  },
  stream: () => {
    throw new Error('not used');
  },
  abort: () => void events.push('aborted'),
});

const start = (signal = watchedSignal(), waitedMs?: number) => new Call(guard(), clock, 1000, signal, waitedMs);

describe('the deadline of a call', () => {
  it('aborts its exchange once, and what waits for a slot', async () => {
    const signal = watchedSignal();
    const call = start(signal);
    call.onAbort(() => events.push('woken'));
    expect(await call.attempt(exchange())).toBe(head);
    clock.advance(999);
    expect([call.hasTimedOut, call.isAborted, events]).toEqual([false, false, []]);
    clock.advance(1);
    expect([call.hasTimedOut, call.isAborted, events]).toEqual([true, true, ['aborted', 'woken']]);
  });

  it('is earlier by the time that passed before the call', () => {
    const call = start(watchedSignal(), 400);
    clock.advance(599);
    expect(call.hasTimedOut).toBe(false);
    clock.advance(1);
    expect(call.hasTimedOut).toBe(true);
  });

  it('may pass without an exchange, and aborts one that is attempted later', () => {
    const call = start();
    clock.advance(1000);
    void call.attempt(exchange());
    expect(events).toEqual(['aborted']);
  });

  it('starts again with each wait for bytes, and pauses in between', () => {
    const call = start();
    clock.advance(900);
    call.wait();
    clock.advance(900);
    call.stopWaiting();
    expect(clock.scheduled).toBe(0);
    clock.advance(10_000);
    call.wait();
    clock.advance(999);
    expect(call.hasTimedOut).toBe(false);
    clock.advance(1);
    expect(call.hasTimedOut).toBe(true);
  });

  it('does not start again after the last byte', () => {
    const call = start();
    call.done();
    call.wait();
    expect(clock.scheduled).toBe(0);
  });

  it('is measured from the start of the call', () => {
    clock.advance(250);
    expect(start().startedAt).toBe(clock.monotonic());
  });
});

describe('a cancelled call', () => {
  it('aborts its exchange, and is not a timeout', () => {
    const signal = watchedSignal();
    const call = start(signal);
    void call.attempt(exchange());
    expect([call.isCancelled, signal.listeners]).toEqual([false, 1]);
    signal.abort();
    expect([call.isCancelled, call.isAborted, call.hasTimedOut, events]).toEqual([true, true, false, ['aborted']]);
  });

  it('is a timeout when the deadline has passed before', () => {
    const signal = watchedSignal();
    const call = start(signal);
    clock.advance(1000);
    signal.abort();
    expect([call.isCancelled, call.hasTimedOut]).toEqual([false, true]);
  });

  it('is not what an aborted call is without a signal', () => {
    const call = new Call(guard(), clock, 1000, undefined);
    void call.attempt(exchange());
    call.abort();
    expect([call.isCancelled, call.isAborted, events]).toEqual([false, true, ['aborted']]);
  });

  it('leaves no timer and no listener', () => {
    const signal = watchedSignal();
    const call = start(signal);
    void call.attempt(exchange());
    call.abort();
    expect([clock.scheduled, signal.listeners]).toEqual([0, 0]);
  });
});

describe('the slot of a call', () => {
  const settled = [3, 'ok', false];

  it('is released once the call is settled and all bytes have arrived, in any order', () => {
    for (const isDoneFirst of [true, false]) {
      events = [];
      const call = start();
      call.begin(3);
      if (isDoneFirst) call.done();
      else call.settle('ok', false);
      expect(events).toEqual(isDoneFirst ? [] : [settled]);
      if (isDoneFirst) call.settle('ok', false);
      else call.done();
      expect(events).toEqual([settled, 'released']);
      call.done();
      call.abort();
      expect(events).toEqual([settled, 'released']);
    }
  });

  it('is released also when the guard throws', () => {
    const failing = guard(() => {
      throw new Error('a bug of an observer');
    });
    const call = new Call(failing, clock, 1000, undefined);
    call.begin(3);
    call.done();
    expect(() => call.settle('status', true)).toThrow('a bug of an observer');
    expect(events).toEqual(['released']);
  });

  it('is not released when the call never had one', () => {
    const call = start();
    call.done();
    call.abort();
    expect(events).toEqual([]);
  });
});

describe('the rest of a body', () => {
  it('is read when it is at most 64 KiB, so that the connection can be used again', async () => {
    const call = start();
    void call.attempt(exchange(async () => Buffer.alloc(0)));
    await call.discard();
    expect([events, clock.scheduled]).toEqual([['up to 65536 bytes'], 0]);
  });

  it.each([
    ['is larger', async () => undefined],
    ['breaks', () => Promise.reject(new Error('broken'))],
  ])('is aborted when it %s', async (_, rest) => {
    const call = start();
    void call.attempt(exchange(rest));
    await call.discard();
    expect([events, clock.scheduled]).toEqual([['up to 65536 bytes', 'aborted'], 0]);
  });
});

describe('the error of a stream', () => {
  it.each([
    ['an interrupted stream', 0, 'unreachable', 'The stream was interrupted.'],
    ['a stalled stream', 1000, 'timeout', 'The stream stalled.'],
  ])('names the reason of %s, and is marked as a failure of the service', (_, ms, reason, message) => {
    const call = start();
    clock.advance(ms);
    const error = call.streamError();
    expect(error).toMatchObject({ name: 'StreamInterruptedError', code: 'ERR_DOWNSTREAM_BROKE_OFF', reason, message });
    expect(error).not.toHaveProperty('cause');
  });
});
