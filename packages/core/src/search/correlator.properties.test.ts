import * as fc from 'fast-check';
import { ok, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { observedClient } from '../runtime/observed-client.test.support.ts';
import { fakeClock } from '../runtime/clock.fake.ts';
import { fakeIds } from '../runtime/ids.fake.ts';
import { succeeds } from '../contract/assertions.ts';
import { toJson } from '../shared/json/json.ts';
import type { CallbackExchange, OfferOutcome } from './callbacks/callback-exchange.port.ts';
import { correlate, type RunningSearch } from './correlator.ts';
import { memoryCallbackExchange } from './callbacks/memory-callback-exchange.ts';
import { aLeg, anOnSearch } from './leg.fake.ts';
import {
  flushMicrotasks,
  createSearch,
  cancelled,
  refused,
  delayedRegistration,
  envelopesFor,
  timeoutMs,
  timedOut,
  unexpected,
} from './search.test.support.ts';
import { acknowledged, type FakePost, fakeSearchTransport } from './transport/search-transport.fake.ts';
import type { SearchTransport } from './transport/search-transport.port.ts';

const nothing = { waiting: 0, tasks: 0 };

type Event =
  | { readonly what: 'ack' | 'nack' | 'catalog' | 'callback'; readonly leg: number }
  | { readonly what: 'register' | 'disconnect' | 'settle' }
  | { readonly what: 'advance'; readonly ms: number };

type PostMode = 'answers' | 'throws' | 'rejects';

const schedules = fc
  .array(fc.constantFrom<PostMode>('answers', 'answers', 'answers', 'throws', 'rejects'), {
    minLength: 1,
    maxLength: 6,
  })
  .chain((modes) => {
    const leg = fc.nat(modes.length - 1);
    const event = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({ what: fc.constantFrom('ack', 'nack', 'catalog', 'callback', 'callback'), leg }),
      },
      { weight: 3, arbitrary: fc.record({ what: fc.constant('advance'), ms: fc.constantFrom(1, 999, 4_000, 6_000) }) },
      {
        weight: 1,
        arbitrary: fc.record({ what: fc.constantFrom('disconnect', 'register', 'register', 'settle', 'settle') }),
      },
    );
    const registersFirst = fc.boolean();
    return fc.record({
      modes: fc.constant(modes),
      events: fc.array(event as fc.Arbitrary<Event>, { maxLength: 40 }),
      registersFirst,
    });
  });

interface Schedule {
  readonly modes: readonly PostMode[];
  readonly events: readonly Event[];
  readonly registersFirst: boolean;
}

const throwing = (): never => {
  throw new Error('a bug');
};

// The fake ids are sequential, and the legs get the first ones.
const idOf = (leg: number) => `00000000-0000-4000-8000-${String(leg + 1).padStart(12, '0')}`;
const legOf = (id: string) => Number(id.slice(-12)) - 1;

/** Runs a schedule to its end, and returns the outcome of each leg and each callback. */
const runSchedule = async ({ modes, events, registersFirst }: Schedule, afterEach: () => Promise<void>) => {
  const client = observedClient();
  const { completeRegistration, wrapExchange } = delayedRegistration();
  const fake = fakeSearchTransport();
  const transport: SearchTransport = {
    post: (leg, ...args) => {
      const mode = modes[Number(leg.id)];
      if (mode === 'throws') return throwing();
      return mode === 'rejects' ? new ResultAsync(Promise.reject(new Error('a bug'))) : fake.post(leg, ...args);
    },
  };
  const legs = modes.map((_, leg) => aLeg(String(leg)));
  const outcomes: [leg: number, OfferOutcome][] = [];
  const recorded = (memoryExchange: CallbackExchange): CallbackExchange => ({
    ...wrapExchange(memoryExchange),
    offer: (id, callback) =>
      memoryExchange.offer(id, callback).andTee((outcome) => outcomes.push([legOf(id), outcome])),
  });
  const { start, clock, memoryExchange } = createSearch({
    legs,
    transport,
    signal: client.signal,
    wrapExchange: recorded,
  });
  const callBack = (leg: number) =>
    memoryExchange.offer(idOf(leg), anOnSearch(idOf(leg)).text).andTee((outcome) => outcomes.push([leg, outcome]));
  const respondTo = (leg: number, response: Parameters<FakePost['respond']>[0]) =>
    fake.posts.find((post) => post.leg.id === String(leg))?.respond(response);
  const perform = (event: Event): unknown => {
    switch (event.what) {
      case 'ack':
        return respondTo(event.leg, acknowledged);
      case 'nack':
        return respondTo(event.leg, refused);
      case 'catalog':
        return respondTo(event.leg, ok({ outcome: 'catalog', callback: toJson({}) }));
      case 'callback':
        return callBack(event.leg);
      case 'advance':
        return clock.advance(event.ms);
      case 'register':
        return completeRegistration();
      case 'disconnect':
        return client.disconnect();
      case 'settle':
        return flushMicrotasks();
    }
  };
  const starting = start();
  if (registersFirst) completeRegistration();
  await afterEach();
  for (const event of events) {
    const performed = perform(event);
    if (event.what === 'settle') await performed;
    await afterEach();
  }
  completeRegistration();
  await flushMicrotasks();
  const waitingBeforeTheEnd = memoryExchange.pending;
  clock.advance(timeoutMs);
  const running = await succeeds(starting);
  const response = await running.response;
  await flushMicrotasks();
  const settled: string[] = [];
  for await (const event of running.events) if (event.type === 'leg') settled.push(event.outcome.leg.id);
  return {
    response,
    settled,
    outcomes,
    waitingBeforeTheEnd,
    left: { waiting: memoryExchange.pending, tasks: clock.scheduled, listeners: client.listeners },
  };
};

const outcomeAfter = (end: string | undefined): OfferOutcome => {
  if (end === undefined) return 'delivered';
  return end === 'delivered' ? 'duplicate' : 'late';
};

/** The contract, section 5, for a schedule whose events do not overlap. */
const model = ({ modes, events, registersFirst }: Schedule) => {
  const legs = modes.map((): { end?: string; at?: number; hasResponse?: boolean } => ({}));
  const outcomes: [number, OfferOutcome][] = [];
  let [now, registered, isDisconnected] = [0, false, false];
  const end = (leg: { end?: string; at?: number }, how: string, at = now) => {
    if (leg.end === undefined) Object.assign(leg, { end: how, at });
  };
  const register = () => {
    if (registered) return;
    registered = true;
    for (const [index, leg] of legs.entries()) {
      if (isDisconnected) end(leg, 'cancelled');
      else if (now >= timeoutMs) end(leg, 'timeout');
      else if (modes[index] !== 'answers') end(leg, 'broken');
      // A post that was never made, or was cancelled, gets no response.
      leg.hasResponse = leg.end !== undefined;
    }
  };
  const advance = (ms: number) => {
    now += ms;
    if (registered && now >= timeoutMs) for (const leg of legs) end(leg, 'timeout', timeoutMs);
  };
  const deliver = (index: number) => {
    const leg = legs[index]!;
    outcomes.push([index, registered ? outcomeAfter(leg.end) : 'unknown']);
    if (registered) end(leg, 'delivered');
  };
  if (registersFirst) register();
  for (const event of events) {
    if (event.what === 'register') register();
    else if (event.what === 'advance') advance(event.ms);
    else if (event.what === 'callback') deliver(event.leg);
    else if (event.what === 'disconnect') {
      isDisconnected = true;
      if (registered) for (const leg of legs) end(leg, 'cancelled');
    } else if ('leg' in event) {
      const leg = legs[event.leg]!;
      const failed = leg.end !== undefined && leg.end !== 'delivered';
      if (!registered || leg.hasResponse || failed) continue;
      leg.hasResponse = true;
      if (event.what === 'nack') end(leg, 'refused');
      if (event.what === 'catalog') deliver(event.leg);
    }
  }
  register();
  const waiting = legs.filter((leg) => leg.end === undefined).length;
  for (const leg of legs) end(leg, 'timeout', Math.max(timeoutMs, now));
  return { legs, outcomes, waiting };
};

const ends: Record<string, unknown> = {
  timeout: timedOut,
  cancelled: cancelled,
  refused: { kind: 'bap_unreachable', detail: 'the network refused' },
  broken: unexpected,
};

describe('random schedules', () => {
  it('ends each leg and callback as the state table requires, at the right time', async () => {
    await fc.assert(
      fc.asyncProperty(schedules, async (schedule) => {
        const { response, outcomes, waitingBeforeTheEnd, left } = await runSchedule(schedule, flushMicrotasks);
        const expected = model(schedule);
        expect(
          response.legs.map((outcome) => ['error' in outcome ? outcome.error : 'delivered', outcome.elapsedMs]),
        ).toEqual(expected.legs.map((leg) => [ends[leg.end ?? ''] ?? leg.end, leg.at]));
        expect(outcomes).toEqual(expected.outcomes);
        expect(waitingBeforeTheEnd).toBe(expected.waiting);
        expect(left).toEqual({ ...nothing, listeners: 0 });
      }),
      { numRuns: 400 },
    );
  });

  it('settles each leg once and leaves nothing behind, even when events overlap', async () => {
    await fc.assert(
      fc.asyncProperty(schedules, async (schedule) => {
        const { response, settled, outcomes, left } = await runSchedule(schedule, async () => {});
        expect(settled.toSorted()).toEqual(schedule.modes.map((_, leg) => String(leg)));
        expect(response.legs.map(({ leg }) => leg.id)).toEqual(schedule.modes.map((_, leg) => String(leg)));
        for (const [leg, outcome] of response.legs.entries()) {
          const delivered = outcomes.filter((outcome) => outcome[0] === leg && outcome[1] === 'delivered').length;
          expect(delivered).toBe('callback' in outcome ? 1 : 0);
          expect(Number.isInteger(outcome.elapsedMs) && outcome.elapsedMs <= response.elapsedMs).toBe(true);
        }
        expect(left).toEqual({ ...nothing, listeners: 0 });
      }),
      { numRuns: 400 },
    );
  });
});

describe('many searches', () => {
  it('leaves nothing behind after many searches, for every way of ending', async () => {
    const clock = fakeClock();
    const exchange = memoryCallbackExchange(clock);
    const ids = fakeIds();
    const client = observedClient();
    const counts: Record<string, number> = {};
    const legs = [aLeg('moa'), aLeg('mh')];
    const together = 50;
    for (let round = 0; round < 5_000 / together; round++) {
      const disconnectingClient = observedClient();
      const fake = fakeSearchTransport({ mh: round % 2 === 0 ? acknowledged : refused });
      const transport = round % 8 === 7 ? { post: throwing } : fake;
      const signal = round % 4 === 1 ? disconnectingClient.signal : client.signal;
      const running: RunningSearch[] = [];
      for (let search = 0; search < together; search++) {
        running.push(
          await succeeds(
            correlate({ transport, exchange, clock, ids }, legs, { envelopeFor: envelopesFor('x'), timeoutMs, signal }),
          ),
        );
      }
      for (const [post, { envelope }] of fake.posts.entries())
        if (post % 3 === 0) await exchange.offer(envelope.context.transaction_id, anOnSearch('x').text);
      disconnectingClient.disconnect();
      clock.advance(timeoutMs);
      for (const { response } of running)
        for (const outcome of (await response).legs) {
          const end = 'error' in outcome ? outcome.error.detail : 'delivered';
          counts[end] = (counts[end] ?? 0) + 1;
        }
      expect(disconnectingClient.listeners).toBe(0);
    }
    expect({ waiting: exchange.pending, tasks: clock.scheduled, listeners: client.listeners }).toEqual({
      ...nothing,
      listeners: 0,
    });
    expect(Object.keys(counts)).toHaveLength(5);
    expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(10_000);
  });
});
