import * as fc from 'fast-check';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { observedClient } from '../runtime/observed-client.test.support.ts';
import { succeeds } from '../contract/assertions.ts';
import { fakeClock } from '../runtime/clock.fake.ts';
import { type Json, toJson } from '../shared/json/json.ts';
import { memoryCallbackExchange } from './callbacks/memory-callback-exchange.ts';
import { aLeg } from './leg.fake.ts';
import type { LegOutcome, SearchEvent } from './leg-outcome.ts';
import type { CallbackMode, Leg, ListedLeg } from './leg.ts';
import { searchResponseText } from './response.ts';
import { cancelled, createSearch, flushMicrotasks, refused, timedOut, timeoutMs } from './search.test.support.ts';
import { acknowledged, fakeSearchTransport } from './transport/search-transport.fake.ts';

/** The first leg of a search of the fakes. */
const transactionId = '00000000-0000-4000-8000-000000000001';

/** A callback of one of several sellers. */
const from = (seller: number, { id = transactionId, error = false, more = {} } = {}): Json =>
  toJson({
    context: { action: 'on_search', transaction_id: id, bpp_id: `bpp-${seller}`, message_id: `m-${seller}`, ...more },
    ...(error ? { error: { code: '30001', message: 'No stock' } } : { message: { catalog: { providers: [] } } }),
  });

const collecting = (callbacks: CallbackMode, more: Partial<Leg> = {}) => aLeg('mh', { callbacks, ...more });

/** Starts a search on one leg, and waits until it has posted. */
const startSearch = async (leg: ListedLeg, signal = observedClient()) => {
  const transport = fakeSearchTransport();
  const search = createSearch({ legs: [leg], transport, signal: signal.signal });
  const running = await succeeds(search.start());
  return {
    ...search,
    running,
    posts: transport.posts,
    disconnect: signal.disconnect,
    respond: async (response: Parameters<(typeof transport.posts)[0]['respond']>[0]) => {
      transport.posts[0]?.respond(response);
      await flushMicrotasks();
    },
    callBack: async (callback: Json) => succeeds(search.memoryExchange.offer(transactionId, callback.text)),
    /** The outcome of the leg, or undefined while it waits. */
    outcome: async () => {
      let outcome: LegOutcome | undefined;
      void running.legs[0]!.then((settled) => {
        outcome = settled;
      });
      await flushMicrotasks();
      return outcome;
    },
    response: async () => JSON.parse(searchResponseText(await running.response)) as Record<string, unknown>,
    left: () => ({
      waiting: search.memoryExchange.pending,
      tasks: search.clock.scheduled,
      listeners: signal.listeners,
    }),
  };
};

const nothingLeft = { waiting: 0, tasks: 0, listeners: 0 };

const sellersOf = (outcome: LegOutcome | undefined) => outcome?.sellers?.map(({ sellerId }) => sellerId);

describe('a leg that collects until the deadline', () => {
  it('returns every response in the order of arrival, byte for byte, with one trace per seller', async () => {
    const { callBack, clock, response, left } = await startSearch(collecting({ until: 'deadline' }));
    clock.advance(400);
    await callBack(from(2));
    clock.advance(100);
    await callBack(from(1));
    clock.advance(timeoutMs - 500);
    expect(await response()).toEqual({
      elapsed_ms: timeoutMs,
      mh: { responses: [from(2).value, from(1).value] },
      traces: {
        mh: {
          transaction_id: transactionId,
          elapsed_ms: timeoutMs,
          label: 'The mh network',
          sellers: [
            { bpp_id: 'bpp-2', message_id: 'm-2', elapsed_ms: 400 },
            { bpp_id: 'bpp-1', message_id: 'm-1', elapsed_ms: 500 },
          ],
        },
      },
    });
    expect(left()).toEqual(nothingLeft);
  });

  it('inserts the responses byte for byte', async () => {
    const { callBack, clock, running } = await startSearch(collecting({ until: 'deadline' }));
    const text = ` { "price" : 12345678901234567890.10 , "context":{"transaction_id":"${transactionId}"}}`;
    await callBack({ text, value: undefined });
    await callBack({ text: '{"b":1}', value: undefined });
    clock.advance(timeoutMs);
    expect(searchResponseText(await running.response)).toContain(`"mh":{"responses":[${text},{"b":1}]}`);
  });

  it('is null with the kind timeout when no callback arrives', async () => {
    const { clock, outcome, response, left } = await startSearch(collecting({ until: 'deadline' }));
    clock.advance(timeoutMs);
    expect(await outcome()).toMatchObject({ error: timedOut });
    expect(await response()).toMatchObject({ mh: null, errors: { mh: timedOut } });
    expect(left()).toEqual(nothingLeft);
  });

  it('acknowledges a callback after the deadline as late', async () => {
    const { callBack, clock, outcome } = await startSearch(collecting({ until: 'deadline' }));
    await callBack(from(1));
    clock.advance(timeoutMs);
    expect(await callBack(from(2))).toBe('late');
    expect(sellersOf(await outcome())).toEqual(['bpp-1']);
  });
});

describe('a leg that collects a number of callbacks', () => {
  it('settles with the last of them', async () => {
    const { callBack, clock, outcome, left } = await startSearch(collecting({ count: 2 }));
    await callBack(from(1));
    expect(await outcome()).toBeUndefined();
    clock.advance(30);
    expect(await callBack(from(2))).toBe('delivered');
    expect(await outcome()).toMatchObject({ elapsedMs: 30 });
    expect(await callBack(from(3))).toBe('late');
    expect(sellersOf(await outcome())).toEqual(['bpp-1', 'bpp-2']);
    expect(left()).toEqual(nothingLeft);
  });

  it('does not cancel the request to a seller that calls back before its acknowledgement', async () => {
    const { callBack, outcome, posts } = await startSearch(collecting({ count: 1 }));
    await callBack(from(1));
    expect(sellersOf(await outcome())).toEqual(['bpp-1']);
    expect(posts.map(({ signal }) => signal.aborted)).toEqual([false]);
  });

  it('settles at the deadline with fewer', async () => {
    const { callBack, clock, outcome } = await startSearch(collecting({ count: 2 }));
    await callBack(from(1));
    clock.advance(timeoutMs);
    expect(sellersOf(await outcome())).toEqual(['bpp-1']);
  });

  it('does not count a callback that a seller sent twice', async () => {
    const { callBack, outcome } = await startSearch(collecting({ count: 2 }));
    await callBack(from(1));
    expect(await callBack(from(1))).toBe('duplicate');
    expect(await outcome()).toBeUndefined();
  });

  it('counts the error of a seller as a callback', async () => {
    const { callBack, outcome } = await startSearch(collecting({ count: 2 }));
    await callBack(from(1, { error: true }));
    await callBack(from(2));
    expect(sellersOf(await outcome())).toEqual(['bpp-1', 'bpp-2']);
  });
});

describe('a leg that collects until it is quiet', () => {
  it('settles when no callback arrived for that time', async () => {
    const { callBack, clock, outcome, left } = await startSearch(collecting({ quietMs: 500 }));
    await callBack(from(1));
    clock.advance(499);
    await callBack(from(2));
    clock.advance(499);
    expect(await outcome()).toBeUndefined();
    clock.advance(1);
    expect(await outcome()).toMatchObject({ elapsedMs: 999 });
    expect(left()).toEqual(nothingLeft);
  });

  it('waits for the first callback until the deadline', async () => {
    const { clock, outcome } = await startSearch(collecting({ quietMs: 500 }));
    clock.advance(timeoutMs - 1);
    expect(await outcome()).toBeUndefined();
    clock.advance(1);
    expect(await outcome()).toMatchObject({ error: timedOut });
  });

  it('settles at the deadline while callbacks still arrive', async () => {
    const { callBack, clock, outcome, left } = await startSearch(collecting({ quietMs: 500 }));
    clock.advance(timeoutMs - 100);
    await callBack(from(1));
    clock.advance(100);
    expect(sellersOf(await outcome())).toEqual(['bpp-1']);
    expect(left()).toEqual(nothingLeft);
  });
});

describe('the limits of a leg that collects', () => {
  it('end it with what it has when a callback exceeds maxCallbacks', async () => {
    const { callBack, outcome, left } = await startSearch(collecting({ until: 'deadline' }, { maxCallbacks: 2 }));
    for (const seller of [1, 2]) expect(await callBack(from(seller))).toBe('delivered');
    expect(await outcome()).toBeUndefined();
    expect(await callBack(from(3))).toBe('full');
    expect(sellersOf(await outcome())).toEqual(['bpp-1', 'bpp-2']);
    expect(left()).toEqual(nothingLeft);
  });

  it('end it with what it has when a callback exceeds maxBytes', async () => {
    const maxBytes = from(1).text.length + from(2).text.length - 1;
    const { callBack, outcome } = await startSearch(collecting({ until: 'deadline' }, { maxBytes }));
    await callBack(from(1));
    expect(await callBack(from(2))).toBe('full');
    expect(sellersOf(await outcome())).toEqual(['bpp-1']);
  });

  it('fail it when its first callback exceeds maxBytes', async () => {
    const { callBack, outcome, left } = await startSearch(collecting({ until: 'deadline' }, { maxBytes: 10 }));
    expect(await callBack(from(1))).toBe('full');
    const detail = 'every callback exceeds the limits of the leg';
    expect(await outcome()).toMatchObject({ error: { kind: 'bap_unreachable', detail } });
    expect(left()).toEqual(nothingLeft);
  });
});

describe('an error of a seller', () => {
  it('is reported beside the responses of a leg that collects', async () => {
    const { callBack, response } = await startSearch(collecting({ count: 2 }));
    await callBack(from(1, { error: true }));
    await callBack(from(2));
    expect(await response()).toMatchObject({
      mh: { responses: [from(2).value] },
      errors: { mh: { sellers: [{ bpp_id: 'bpp-1', message_id: 'm-1', code: '30001', message: 'No stock' }] } },
    });
    expect(await response()).not.toHaveProperty('errors.mh.kind');
  });

  it('fails a leg that collects when every seller sends one', async () => {
    const { callBack, response } = await startSearch(collecting({ count: 2 }));
    for (const seller of [1, 2]) await callBack(from(seller, { error: true }));
    expect(await response()).toMatchObject({
      mh: null,
      errors: {
        mh: {
          kind: 'bap_unreachable',
          detail: 'every seller responded with an error',
          sellers: [{ bpp_id: 'bpp-1' }, { bpp_id: 'bpp-2' }],
        },
      },
      traces: { mh: { sellers: [{ bpp_id: 'bpp-1' }, { bpp_id: 'bpp-2' }] } },
    });
  });

  it('delivers a leg that its first callback ends, and is in its trace', async () => {
    const { callBack, response } = await startSearch(aLeg('mh'));
    await callBack(from(1, { error: true }));
    const { mh, traces, errors } = await response();
    expect(mh).toEqual(from(1, { error: true }).value);
    expect(traces).toMatchObject({ mh: { seller_error: { code: '30001', message: 'No stock' } } });
    expect(errors).toBeUndefined();
  });
});

describe('a leg that collects, and its post', () => {
  it('fails at once when the post fails before any callback', async () => {
    const { respond, outcome, left } = await startSearch(collecting({ until: 'deadline' }));
    await respond(refused);
    expect(await outcome()).toMatchObject({
      error: { kind: 'bap_unreachable', detail: 'the network refused' },
      sellers: [],
    });
    expect(left()).toEqual(nothingLeft);
  });

  it('goes on when the post fails after a callback', async () => {
    const { callBack, respond, clock, outcome } = await startSearch(collecting({ until: 'deadline' }));
    await callBack(from(1));
    await respond(err({ kind: 'bap_unreachable', detail: 'the network did not acknowledge in time' }));
    await callBack(from(2));
    clock.advance(timeoutMs);
    expect(sellersOf(await outcome())).toEqual(['bpp-1', 'bpp-2']);
  });

  it('keeps a catalog in the acknowledgement as one of the responses', async () => {
    const { callBack, respond, outcome } = await startSearch(collecting({ count: 2 }));
    await respond(ok({ outcome: 'catalog', callback: from(1) }));
    await callBack(from(2));
    expect(sellersOf(await outcome())).toEqual(['bpp-1', 'bpp-2']);
  });

  it('settles with a catalog in the acknowledgement for which the exchange has no memory', async () => {
    const [clock, transport] = [fakeClock(), fakeSearchTransport()];
    const exchange = memoryCallbackExchange(clock, { maxCollectedBytes: 10 });
    const legs = [collecting({ until: 'deadline' })];
    const { start } = createSearch({ legs, transport, clock, wrapExchange: () => exchange });
    const { response } = await succeeds(start());
    transport.posts[0]?.respond(ok({ outcome: 'catalog', callback: from(1) }));
    await flushMicrotasks();
    expect([exchange.pending, clock.scheduled]).toEqual([0, 0]);
    expect(JSON.parse(searchResponseText(await response))).toMatchObject({ mh: { responses: [from(1).value] } });
  });

  it('is cancelled with its client, whatever it has collected', async () => {
    const client = observedClient();
    const { callBack, disconnect, outcome, left } = await startSearch(collecting({ until: 'deadline' }), client);
    await callBack(from(1));
    disconnect();
    expect(await outcome()).toMatchObject({ error: cancelled });
    expect(left()).toEqual(nothingLeft);
  });
});

describe('the events of a search', () => {
  it('are each callback of a leg that collects as it arrives, and each leg as it settles', async () => {
    const legs = [collecting({ count: 2 }), aLeg('moa')];
    const { start, memoryExchange, posts } = createSearch({ legs });
    const running = await succeeds(start());
    const events: SearchEvent[] = [];
    const reading = (async () => {
      for await (const event of running.events) events.push(event);
    })();
    const offer = (leg: number, callback: Json) =>
      memoryExchange.offer(posts[leg]!.envelope.context.transaction_id, callback.text);
    await offer(0, from(1));
    await offer(1, from(9));
    await flushMicrotasks();
    await offer(0, from(2, { error: true }));
    await reading;
    const summary = events.map((event) =>
      event.type === 'callback' ? event.callback.sellerId : `leg ${event.outcome.leg.id}`,
    );
    expect(summary).toEqual(['bpp-1', 'leg moa', 'bpp-2', 'leg mh']);
  });

  it('are the same for each reader, also for one that starts late', async () => {
    const { callBack, running } = await startSearch(collecting({ count: 1 }));
    await callBack(from(1));
    await running.response;
    for (let reader = 0; reader < 2; reader++) {
      const types: string[] = [];
      for await (const { type } of running.events) types.push(type);
      expect(types).toEqual(['callback', 'leg']);
    }
  });
});

type Event =
  | { readonly what: 'callback' | 'error'; readonly seller: number }
  | { readonly what: 'ack' | 'nack' | 'disconnect' }
  | { readonly what: 'advance'; readonly ms: number };

const seller = fc.nat(5);
const events = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ what: fc.constant('callback' as const), seller }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('error' as const), seller }) },
    {
      weight: 3,
      arbitrary: fc.record({ what: fc.constant('advance' as const), ms: fc.constantFrom(1, 499, 500, 6_000) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ what: fc.constantFrom('ack' as const, 'nack' as const, 'disconnect' as const) }),
    },
  ),
  { maxLength: 25 },
);
const modes = fc.oneof(
  fc.constant<CallbackMode>({ until: 'deadline' }),
  fc.integer({ min: 1, max: 4 }).map((count): CallbackMode => ({ count })),
  fc.constant<CallbackMode>({ quietMs: 500 }),
);

/** The contract, section 13, for one leg: what it has collected, when it ended and how, and each callback's outcome. */
const model = (mode: CallbackMode, maxCallbacks: number, happening: readonly Event[]) => {
  const kept: { readonly seller: number; readonly isError: boolean }[] = [];
  const outcomes: string[] = [];
  let [now, responded, end, at, quietAt] = [0, false, undefined as string | undefined, 0, Infinity];
  const finish = (how: string, when = now) => {
    if (end === undefined) [end, at] = [how, when];
  };
  const collected = () => (kept.every(({ isError }) => isError) ? 'errors' : 'delivered');
  for (const event of [...happening, { what: 'advance', ms: timeoutMs } as const]) {
    if (event.what === 'advance') {
      now += event.ms;
      if (now >= Math.min(quietAt, timeoutMs)) {
        if (quietAt < timeoutMs) finish(collected(), quietAt);
        else finish(kept.length > 0 ? collected() : 'timeout', timeoutMs);
      }
    } else if (!('seller' in event)) {
      if (event.what === 'disconnect') finish('cancelled');
      else if (event.what === 'nack' && !responded && kept.length === 0) finish('refused');
      responded ||= event.what !== 'disconnect';
    } else if (end !== undefined) outcomes.push('late');
    else if (kept.some((one) => one.seller === event.seller && one.isError === (event.what === 'error')))
      outcomes.push('duplicate');
    else if (kept.length >= maxCallbacks) {
      outcomes.push('full');
      finish(collected());
    } else {
      outcomes.push('delivered');
      kept.push({ seller: event.seller, isError: event.what === 'error' });
      if (typeof mode === 'object' && 'count' in mode && kept.length === mode.count) finish(collected());
      if (typeof mode === 'object' && 'quietMs' in mode) quietAt = now + mode.quietMs;
    }
  }
  return { end, at, outcomes, kept };
};

const endOf = (outcome: LegOutcome): string => {
  if (!('error' in outcome)) return 'delivered';
  if (outcome.error.kind === 'timeout') return 'timeout';
  if (outcome.error.detail === cancelled.detail) return 'cancelled';
  return outcome.sellers?.length ? 'errors' : 'refused';
};

describe('random schedules of a leg that collects', () => {
  it('end as the contract requires, at the right time, with nothing lost and nothing left', async () => {
    await fc.assert(
      fc.asyncProperty(modes, fc.integer({ min: 1, max: 5 }), events, async (mode, maxCallbacks, happening) => {
        const client = observedClient();
        const search = await startSearch(collecting(mode, { maxCallbacks }), client);
        const outcomes: string[] = [];
        for (const event of happening) {
          if (event.what === 'advance') search.clock.advance(event.ms);
          else if ('seller' in event)
            outcomes.push(await search.callBack(from(event.seller, { error: event.what === 'error' })));
          else if (event.what === 'disconnect') search.disconnect();
          else await search.respond(event.what === 'ack' ? acknowledged : refused);
          await flushMicrotasks();
        }
        search.clock.advance(timeoutMs);
        const outcome = (await search.running.response).legs[0]!;
        const expected = model(mode, maxCallbacks, happening);
        expect([endOf(outcome), outcome.elapsedMs]).toEqual([expected.end, expected.at]);
        expect(outcomes).toEqual(expected.outcomes);
        if (outcome.sellers) expect(sellersOf(outcome)).toEqual(expected.kept.map(({ seller }) => `bpp-${seller}`));
        expect(search.left()).toEqual(nothingLeft);
      }),
      { numRuns: 300 },
    );
  });
});
