import { err, errAsync, ok, okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { observedClient } from '../runtime/observed-client.test.support.ts';
import { type FakeClock, fakeClock } from '../runtime/clock.fake.ts';
import type { Clock } from '../runtime/clock.port.ts';
import { succeeds } from '../contract/assertions.ts';
import { upstream } from '../shared/failure.ts';
import { toJson } from '../shared/json/json.ts';
import type { CallbackExchange, Expectation, OfferOutcome } from './callbacks/callback-exchange.port.ts';
import type { RunningSearch } from './correlator.ts';
import type { LegOutcome } from './leg-outcome.ts';
import { aLeg, anOnSearch } from './leg.fake.ts';
import type { ListedLeg } from './leg.ts';
import {
  flushMicrotasks,
  type SearchSetup,
  createSearch,
  cancelled,
  refused,
  delayedRegistration,
  timeoutMs,
  timedOut,
  unexpected,
} from './search.test.support.ts';
import { acknowledged, type FakeSearchTransport, fakeSearchTransport } from './transport/search-transport.fake.ts';
import type { SearchTransport } from './transport/search-transport.port.ts';

const bothLegs = [aLeg('moa'), aLeg('mh')];

/** Starts a search and waits until it has posted to every leg. */
const startSearch = async (what?: SearchSetup) => {
  const all = createSearch(what);
  const running = await succeeds(all.start());
  const idOf = (leg: number) => all.posts[leg]?.envelope.context.transaction_id ?? 'not posted';
  return {
    ...all,
    running,
    idOf,
    deliverToLeg: (leg: number) => all.deliverCallback(idOf(leg)),
    /** Checks that no leg is registered and no task is scheduled. */
    expectNothingLeft: () =>
      expect({ waiting: all.memoryExchange.pending, tasks: all.clock.scheduled }).toEqual(nothing),
  };
};

const nothing = { waiting: 0, tasks: 0 };

/** Returns the id, result and elapsed time of a leg. */
const summaryOf = (outcome: LegOutcome) => [
  outcome.leg.id,
  'error' in outcome ? outcome.error.kind : 'delivered',
  outcome.elapsedMs,
];

const responseSummary = async ({ response }: RunningSearch) => (await response).legs.map(summaryOf);

describe('a search', () => {
  it('registers every leg before it posts anything', async () => {
    const waiting: number[] = [];
    const transport: SearchTransport = {
      post: () => {
        waiting.push(all.memoryExchange.pending);
        return ResultAsync.fromSafePromise(Promise.resolve({ outcome: 'ack' }));
      },
    };
    const all = createSearch({ transport });
    await all.start();
    expect(waiting).toEqual([2, 2]);
  });

  it('posts the query to every leg at once, each in a separate envelope', async () => {
    const { posts, clock } = await startSearch();
    expect(posts.map(({ leg, envelope }) => [leg.id, envelope.context.domain])).toEqual([
      ['moa', 'schemes:moa'],
      ['mh', 'schemes:mh'],
    ]);
    const ids = posts.flatMap(({ envelope }) => [envelope.context.transaction_id, envelope.context.message_id]);
    expect(new Set(ids).size).toBe(4);
    expect(posts.map(({ envelope }) => envelope.message.intent.item.descriptor.name)).toEqual(['vitamin', 'vitamin']);
    expect(clock.monotonic()).toBe(0);
  });

  it('resolves with the unchanged callbacks, in the order of the legs', async () => {
    const { clock, running, deliverToLeg, idOf, expectNothingLeft } = await startSearch();
    clock.advance(2_000);
    expect(await deliverToLeg(1)).toBe('delivered');
    clock.advance(3_000);
    expect(await deliverToLeg(0)).toBe('delivered');
    expect(await running.response).toEqual({
      elapsedMs: 5_000,
      legs: [
        { leg: bothLegs[0], transactionId: idOf(0), elapsedMs: 5_000, callback: anOnSearch(idOf(0)) },
        { leg: bothLegs[1], transactionId: idOf(1), elapsedMs: 2_000, callback: anOnSearch(idOf(1)) },
      ],
    });
    expectNothingLeft();
  });

  it('resolves a leg as soon as it settles, while the other is pending', async () => {
    const { clock, running, deliverToLeg, memoryExchange } = await startSearch();
    clock.advance(10);
    await deliverToLeg(1);
    expect(summaryOf((await running.legs[1]) as LegOutcome)).toEqual(['mh', 'delivered', 10]);
    expect(memoryExchange.pending).toBe(1);
  });

  it('does not resolve on acknowledgements alone', async () => {
    const { clock, running, memoryExchange } = await startSearch({
      transport: fakeSearchTransport({ moa: acknowledged, mh: acknowledged }),
    });
    clock.advance(timeoutMs - 1);
    await flushMicrotasks();
    expect(memoryExchange.pending).toBe(2);
    clock.advance(1);
    expect(await responseSummary(running)).toEqual([
      ['moa', 'timeout', timeoutMs],
      ['mh', 'timeout', timeoutMs],
    ]);
  });

  it.each([1, 32])('supports %d legs', async (count) => {
    const legs = Array.from({ length: count }, (_, leg) => aLeg(`leg-${leg}`));
    const { clock, running, deliverToLeg, expectNothingLeft, memoryExchange } = await startSearch({ legs });
    expect(memoryExchange.pending).toBe(count);
    for (let leg = count - 1; leg >= 0; leg--) {
      clock.advance(1);
      await deliverToLeg(leg);
    }
    expect(await responseSummary(running)).toEqual(legs.map(({ id }, leg) => [id, 'delivered', count - leg]));
    expectNothingLeft();
  });

  it.each(['__proto__', 'constructor'])('supports a leg with the id %s', async (id) => {
    const { running, deliverToLeg, expectNothingLeft } = await startSearch({ legs: [aLeg(id)] });
    await deliverToLeg(0);
    expect(await responseSummary(running)).toEqual([[id, 'delivered', 0]]);
    expectNothingLeft();
  });
});

describe('a callback', () => {
  it('delivers a callback that arrives before the acknowledgement', async () => {
    const outcomes: OfferOutcome[] = [];
    const transport: SearchTransport = {
      post: (_leg, { context }) => {
        void all.memoryExchange
          .offer(context.transaction_id, anOnSearch(context.transaction_id).text)
          .andTee((outcome) => outcomes.push(outcome));
        return new ResultAsync(Promise.withResolvers<typeof acknowledged>().promise);
      },
    };
    const all = createSearch({ transport });
    const running = await succeeds(all.start());
    expect(await responseSummary(running)).toEqual([
      ['moa', 'delivered', 0],
      ['mh', 'delivered', 0],
    ]);
    expect(outcomes).toEqual(['delivered', 'delivered']);
    expect({ waiting: all.memoryExchange.pending, tasks: all.clock.scheduled }).toEqual(nothing);
  });

  it('keeps a delivered callback when its post fails afterwards', async () => {
    const { running, deliverToLeg, posts } = await startSearch();
    await deliverToLeg(0);
    await deliverToLeg(1);
    posts[0]?.respond(refused);
    await flushMicrotasks();
    expect(await responseSummary(running)).toEqual([
      ['moa', 'delivered', 0],
      ['mh', 'delivered', 0],
    ]);
  });

  it('ignores every callback of a leg but the first', async () => {
    const { running, deliverToLeg, idOf, memoryExchange } = await startSearch();
    await deliverToLeg(0);
    const again = await memoryExchange.offer(idOf(0), toJson({ again: true }).text);
    expect(again).toEqual(ok('duplicate'));
    expect(await running.legs[0]).toMatchObject({ callback: anOnSearch(idOf(0)) });
  });

  it.each([
    ['its post was refused', ({ posts }: Pick<FakeSearchTransport, 'posts'>) => posts[0]?.respond(refused)],
    ['the deadline', ({ clock }: { readonly clock: FakeClock }) => clock.advance(timeoutMs)],
  ])('reports a callback as late after %s', async (_, ends) => {
    const search = await startSearch();
    ends(search);
    await search.running.legs[0];
    expect(await search.deliverToLeg(0)).toBe('late');
  });

  it('delivers a callback that arrives at the time of the deadline, just before it', async () => {
    const clock = fakeClock();
    const outcomes: OfferOutcome[] = [];
    clock.after(timeoutMs, () => void search.deliverToLeg(0).then((outcome) => outcomes.push(outcome)));
    const search = await startSearch({ clock });
    clock.advance(timeoutMs);
    expect(await responseSummary(search.running)).toEqual([
      ['moa', 'delivered', timeoutMs],
      ['mh', 'timeout', timeoutMs],
    ]);
    await flushMicrotasks();
    expect(outcomes).toEqual(['delivered']);
    search.expectNothingLeft();
  });

  it('reports a callback as late that arrives at the time of the deadline, just after it', async () => {
    const search = await startSearch();
    const outcomes: OfferOutcome[] = [];
    search.clock.after(timeoutMs, () => void search.deliverToLeg(0).then((outcome) => outcomes.push(outcome)));
    search.clock.advance(timeoutMs);
    expect(await responseSummary(search.running)).toEqual([
      ['moa', 'timeout', timeoutMs],
      ['mh', 'timeout', timeoutMs],
    ]);
    await flushMicrotasks();
    expect(outcomes).toEqual(['late']);
  });
});

describe('a post that fails', () => {
  it('fails the leg of a failed post at once and leaves the other pending', async () => {
    const { clock, running, deliverToLeg, posts, memoryExchange, expectNothingLeft } = await startSearch();
    clock.advance(120);
    posts[0]?.respond(refused);
    expect(await running.legs[0]).toMatchObject({
      elapsedMs: 120,
      error: { kind: 'bap_unreachable', detail: 'the network refused' },
    });
    expect(clock.monotonic()).toBe(120);
    expect(memoryExchange.pending).toBe(1);
    expect(posts.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    clock.advance(2_000);
    await deliverToLeg(1);
    expect(await responseSummary(running)).toEqual([
      ['moa', 'bap_unreachable', 120],
      ['mh', 'delivered', 2_120],
    ]);
    expectNothingLeft();
  });

  it('resolves the search at once when all posts fail', async () => {
    const { clock, running, expectNothingLeft } = await startSearch({
      transport: fakeSearchTransport({ moa: refused, mh: refused }),
    });
    expect(await responseSummary(running)).toEqual([
      ['moa', 'bap_unreachable', 0],
      ['mh', 'bap_unreachable', 0],
    ]);
    expect(clock.monotonic()).toBe(0);
    expectNothingLeft();
  });

  const broken: Record<string, SearchTransport['post']> = {
    throws: () => {
      throw new Error('a bug in the transport');
    },
    rejects: () => new ResultAsync(Promise.reject(new Error('a bug in the transport'))),
  };
  it.each(Object.keys(broken))('fails only its leg when the transport %s', async (how) => {
    const working = fakeSearchTransport();
    const transport: SearchTransport = {
      post: (leg, ...args) => (leg.id === 'moa' ? broken[how]! : working.post)(leg, ...args),
    };
    const { running, deliverCallback, memoryExchange, clock } = await startSearch({ transport });
    expect(await running.legs[0]).toMatchObject({ error: unexpected });
    expect(memoryExchange.pending).toBe(1);
    expect(await deliverCallback(working.posts[0]?.envelope.context.transaction_id ?? '')).toBe('delivered');
    expect(await responseSummary(running)).toEqual([
      ['moa', 'bap_unreachable', 0],
      ['mh', 'delivered', 0],
    ]);
    expect({ waiting: memoryExchange.pending, tasks: clock.scheduled }).toEqual(nothing);
  });
});

describe('a catalog in the acknowledgement', () => {
  const callback = toJson({ message: { catalog: { providers: [] } } });
  const catalog = ok({ outcome: 'catalog', callback } as const);

  it('delivers the leg at once when the acknowledgement has a catalog, and reports a later callback as duplicate', async () => {
    const { running, deliverToLeg, posts, memoryExchange } = await startSearch();
    posts[0]?.respond(catalog);
    expect(await running.legs[0]).toMatchObject({ elapsedMs: 0, callback });
    expect(memoryExchange.pending).toBe(1);
    expect(await deliverToLeg(0)).toBe('duplicate');
  });

  it('ignores a catalog in the acknowledgement after the callback', async () => {
    const { running, deliverToLeg, posts, idOf } = await startSearch();
    await deliverToLeg(0);
    posts[0]?.respond(catalog);
    await flushMicrotasks();
    expect(await running.legs[0]).toMatchObject({ callback: anOnSearch(idOf(0)) });
  });

  it('does not replace an earlier callback that is still being fetched from another instance', async () => {
    const { running, deliverToLeg, posts, idOf } = await startSearch({
      wrapExchange: (memoryExchange) => ({ ...memoryExchange, offer: () => okAsync('duplicate') }),
    });
    posts[0]?.respond(catalog);
    await flushMicrotasks();
    await deliverToLeg(0);
    expect(await running.legs[0]).toMatchObject({ callback: anOnSearch(idOf(0)) });
  });

  it('ignores a catalog in the acknowledgement after the deadline', async () => {
    const acknowledgement = Promise.withResolvers<typeof catalog>();
    const transport: SearchTransport = { post: () => new ResultAsync(acknowledgement.promise) };
    const { running, clock, expectNothingLeft } = await startSearch({ transport });
    clock.advance(timeoutMs);
    acknowledgement.resolve(catalog);
    await flushMicrotasks();
    expect(await running.legs[0]).toMatchObject({ error: timedOut });
    expectNothingLeft();
  });

  it.each([
    ['does not know the leg', () => okAsync('unknown' as const), { callback }],
    ['fails', () => errAsync(upstream('search', 'unreachable')), { callback }],
    ['rejects', () => new ResultAsync<never, never>(Promise.reject(new Error('a bug'))), { error: unexpected }],
  ])('leaves nothing pending when the exchange %s', async (_, offer, outcome) => {
    const { running, posts, memoryExchange, deliverToLeg, expectNothingLeft } = await startSearch({
      wrapExchange: (memoryExchange) => ({ ...memoryExchange, offer }),
    });
    posts[0]?.respond(catalog);
    expect(await running.legs[0]).toMatchObject(outcome);
    await flushMicrotasks();
    expect(memoryExchange.pending).toBe(1);
    await deliverToLeg(1);
    await running.response;
    expectNothingLeft();
  });
});

describe('the deadline', () => {
  it('fails pending legs exactly on time and cancels their posts', async () => {
    const { clock, running, posts, deliverToLeg, memoryExchange, expectNothingLeft } = await startSearch();
    await deliverToLeg(1);
    clock.advance(timeoutMs - 1);
    await flushMicrotasks();
    expect([memoryExchange.pending, posts[0]?.signal.aborted]).toEqual([1, false]);
    clock.advance(1);
    expect(await running.legs[0]).toMatchObject({ elapsedMs: timeoutMs, error: timedOut });
    expect(posts.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect(await responseSummary(running)).toEqual([
      ['moa', 'timeout', timeoutMs],
      ['mh', 'delivered', 0],
    ]);
    expectNothingLeft();
  });

  it('counts the timeout from the start of the search, including the registration', async () => {
    const { completeRegistration, wrapExchange } = delayedRegistration();
    const all = createSearch({ wrapExchange });
    const starting = all.start();
    all.clock.advance(4_000);
    completeRegistration();
    const running = await succeeds(starting);
    all.clock.advance(5_999);
    await flushMicrotasks();
    expect(all.memoryExchange.pending).toBe(2);
    all.clock.advance(1);
    expect(await responseSummary(running)).toEqual([
      ['moa', 'timeout', timeoutMs],
      ['mh', 'timeout', timeoutMs],
    ]);
  });

  it.each([timeoutMs, timeoutMs + 500])('posts nothing when registration took %d ms', async (took) => {
    const { completeRegistration, wrapExchange } = delayedRegistration();
    const all = createSearch({ wrapExchange });
    const starting = all.start();
    all.clock.advance(took);
    completeRegistration();
    expect(await responseSummary(await succeeds(starting))).toEqual([
      ['moa', 'timeout', took],
      ['mh', 'timeout', took],
    ]);
    expect(all.posts).toEqual([]);
    expect({ waiting: all.memoryExchange.pending, tasks: all.clock.scheduled }).toEqual(nothing);
  });

  it('applies the deadline only to its own search', async () => {
    const all = createSearch();
    const first = await succeeds(all.start());
    all.clock.advance(1);
    const second = await succeeds(all.start());
    all.clock.advance(timeoutMs - 1);
    expect(await responseSummary(first)).toEqual([
      ['moa', 'timeout', timeoutMs],
      ['mh', 'timeout', timeoutMs],
    ]);
    expect(all.memoryExchange.pending).toBe(2);
    for (const { envelope } of all.posts) await all.deliverCallback(envelope.context.transaction_id);
    expect((await second.response).legs.every((outcome) => 'callback' in outcome)).toBe(true);
    expect(all.clock.scheduled).toBe(0);
  });
});

describe('elapsed time', () => {
  it('reports elapsed times in whole, monotonic milliseconds, even when the wall clock jumps', async () => {
    const clock = fakeClock();
    let wall = 1_767_225_600_000;
    const searchClock: Clock = { now: () => wall, monotonic: () => 0.4 + clock.monotonic() * 1.1, after: clock.after };
    const legs = [aLeg('a'), aLeg('b'), aLeg('c')];
    const { running, deliverToLeg } = await startSearch({ clock, searchClock, legs });
    for (const [leg, jump] of [3_600_000, -7_200_000, 1].entries()) {
      wall += jump;
      clock.advance(7);
      await deliverToLeg(leg);
    }
    const { elapsedMs, legs: outcomes } = await running.response;
    expect([...outcomes.map((outcome) => outcome.elapsedMs), elapsedMs]).toEqual([8, 15, 23, 23]);
  });

  it('ignores timestamps in callbacks', async () => {
    const { clock, running, idOf, memoryExchange } = await startSearch({ legs: [aLeg('moa')] });
    clock.advance(5);
    await memoryExchange.offer(
      idOf(0),
      toJson({ context: { timestamp: '1999-01-01T00:00:00.000Z' }, message: {} }).text,
    );
    expect((await running.response).elapsedMs).toBe(5);
  });
});

describe('a client that disconnects', () => {
  const cancelledLegs = [
    { leg: { id: 'moa' }, error: cancelled },
    { leg: { id: 'mh' }, error: cancelled },
  ];

  it('posts nothing when the client disconnects before the search starts', async () => {
    const client = observedClient();
    client.disconnect();
    const { running, posts, expectNothingLeft } = await startSearch({ signal: client.signal });
    expect((await running.response).legs).toMatchObject(cancelledLegs);
    expect(posts).toEqual([]);
    expect(client.listeners).toBe(0);
    expectNothingLeft();
  });

  it('posts nothing when the client disconnects during registration', async () => {
    const client = observedClient();
    const { completeRegistration, wrapExchange } = delayedRegistration();
    const all = createSearch({ wrapExchange, signal: client.signal });
    const starting = all.start();
    client.disconnect();
    completeRegistration();
    expect((await (await succeeds(starting)).response).legs).toMatchObject(cancelledLegs);
    expect(all.posts).toEqual([]);
    expect({ waiting: all.memoryExchange.pending, tasks: all.clock.scheduled }).toEqual(nothing);
    expect(client.listeners).toBe(0);
  });

  it('skips the remaining posts when the client disconnects during the first', async () => {
    const client = observedClient();
    const posted: string[] = [];
    const transport: SearchTransport = {
      post: (leg, _, signal) => {
        client.disconnect();
        posted.push(`${leg.id}, ${signal.aborted ? 'cancelled' : 'active'}`);
        return new ResultAsync(Promise.resolve(acknowledged));
      },
    };
    const { running, expectNothingLeft } = await startSearch({ transport, signal: client.signal });
    expect((await running.response).legs).toMatchObject(cancelledLegs);
    expect(posted).toEqual(['moa, cancelled']);
    expectNothingLeft();
  });

  it('cancels all legs when the client disconnects after the posts', async () => {
    const client = observedClient();
    const { clock, running, posts, deliverToLeg, expectNothingLeft } = await startSearch({ signal: client.signal });
    clock.advance(300);
    client.disconnect();
    expect((await running.response).legs).toMatchObject(cancelledLegs);
    expect((await running.response).elapsedMs).toBe(300);
    expect(posts.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expectNothingLeft();
    expect([await deliverToLeg(0), await deliverToLeg(1)]).toEqual(['late', 'late']);
    expect(client.listeners).toBe(0);
  });

  it('cancels only the pending legs when the client disconnects', async () => {
    const client = observedClient();
    const { running, deliverToLeg } = await startSearch({ signal: client.signal });
    await deliverToLeg(1);
    client.disconnect();
    expect(await responseSummary(running)).toEqual([
      ['moa', 'bap_unreachable', 0],
      ['mh', 'delivered', 0],
    ]);
  });

  it('ignores a disconnect after the search has resolved, and removes its listener', async () => {
    const client = observedClient();
    const { running, deliverToLeg } = await startSearch({ signal: client.signal });
    expect(client.listeners).toBe(1);
    await deliverToLeg(0);
    await deliverToLeg(1);
    await running.response;
    expect(client.listeners).toBe(0);
    client.disconnect();
    expect((await running.response).legs.map((outcome) => 'callback' in outcome)).toEqual([true, true]);
  });
});

describe('an exchange that cannot register', () => {
  it.each([
    ['before it registered anything', () => errAsync(upstream('search', 'unreachable'))],
    [
      'after it registered everything',
      (memoryExchange: CallbackExchange, ...args: Parameters<CallbackExchange['expect']>) =>
        memoryExchange.expect(...args).andThen(() => err(upstream('search', 'unreachable'))),
    ],
  ])('fails the search %s, with nothing posted and nothing pending', async (_, expectations) => {
    const client = observedClient();
    const { start, posts, memoryExchange, clock } = createSearch({
      signal: client.signal,
      wrapExchange: (memoryExchange) => ({
        ...memoryExchange,
        expect: (...args) => expectations(memoryExchange, ...args),
      }),
    });
    expect(await start()).toEqual(err(upstream('search', 'unreachable')));
    expect(posts).toEqual([]);
    expect({ waiting: memoryExchange.pending, tasks: clock.scheduled }).toEqual(nothing);
    expect(client.listeners).toBe(0);
  });

  it('passes the timeout of the search to the exchange as ttlMs', async () => {
    const ttls: number[] = [];
    const { start } = createSearch({
      wrapExchange: (memoryExchange) => ({
        ...memoryExchange,
        expect: (expectations, ttlMs) => {
          ttls.push(ttlMs);
          return memoryExchange.expect(expectations, ttlMs);
        },
      }),
    });
    await start();
    expect(ttls).toEqual([timeoutMs]);
  });
});

/** Starts a search of one leg, and returns what it registered. */
const register = async (leg: ListedLeg) => {
  const expectations: Expectation[] = [];
  const search = createSearch({
    legs: [leg],
    wrapExchange: (memoryExchange) => ({
      ...memoryExchange,
      expect: (registered, ttlMs) => {
        expectations.push(...registered);
        return memoryExchange.expect(registered, ttlMs);
      },
    }),
  });
  return { expectations, running: await succeeds(search.start()) };
};

describe('the registration of a leg', () => {
  it.each([
    [aLeg('moa'), false],
    [aLeg('mh', { verifyCallbacks: true }), true],
  ])('has the id of the leg, and whether it accepts verified callbacks only: %o', async (leg, isVerifiedOnly) => {
    expect((await register(leg)).expectations).toMatchObject([{ legId: leg.id, isVerifiedOnly }]);
  });

  it('ignores a second delivery, by an exchange that breaks its contract', async () => {
    const { expectations, running } = await register(aLeg('moa'));
    for (const text of ['{"first":true}', '{"second":true}']) expectations[0]?.deliver(text);
    expect(await running.legs[0]).toMatchObject({ callback: { text: '{"first":true}' } });
    const types: string[] = [];
    for await (const { type } of running.events) types.push(type);
    expect(types.filter((type) => type === 'leg')).toEqual(['leg']);
  });
});
