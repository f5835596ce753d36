import { err, errAsync, ok, okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../runtime/clock.fake.ts';
import type { Clock } from '../runtime/clock.port.ts';
import { succeeds } from '../shared/contract.ts';
import { upstream } from '../shared/failure.ts';
import { toJson } from '../shared/json.ts';
import type { CallbackExchange, OfferOutcome } from './callbacks/callback-exchange.port.ts';
import type { LegOutcome, RunningSearch } from './correlator.ts';
import { aLeg, anOnSearch } from './leg.fake.ts';
import {
  everythingSettles,
  type Given,
  given,
  givenUp,
  refused,
  slowToRegister,
  timeoutMs,
  tooLate,
  unexpected,
  watchedClient,
} from './search.test.support.ts';
import { acknowledged, type FakeSearchTransport, fakeSearchTransport } from './search-transport.fake.ts';
import type { SearchTransport } from './search-transport.port.ts';

const bothLegs = [aLeg('moa'), aLeg('mh')];

/** A search whose posts were made. */
const searching = async (what?: Given) => {
  const all = given(what);
  const running = await succeeds(all.start());
  const idOf = (leg: number) => all.posts[leg]?.envelope.context.transaction_id ?? 'not posted';
  return {
    ...all,
    running,
    idOf,
    callsLeg: (leg: number) => all.calls(idOf(leg)),
    /** Nothing stays behind, once the answer is there. */
    nothingIsLeft: () => expect({ waiting: all.memory.pending, tasks: all.clock.scheduled }).toEqual(nothing),
  };
};

const nothing = { waiting: 0, tasks: 0 };

/** How a leg ended, in a word, and when. */
const inShort = (outcome: LegOutcome) => [
  outcome.leg.id,
  'error' in outcome ? outcome.error.kind : 'delivered',
  outcome.elapsedMs,
];

const answerInShort = async ({ answer }: RunningSearch) => (await answer).legs.map(inShort);

describe('a search', () => {
  it('waits for every callback before it posts anything', async () => {
    const waiting: number[] = [];
    const transport: SearchTransport = {
      post: () => {
        waiting.push(all.memory.pending);
        return ResultAsync.fromSafePromise(Promise.resolve({ outcome: 'ack' }));
      },
    };
    const all = given({ transport });
    await all.start();
    expect(waiting).toEqual([2, 2]);
  });

  it('puts the query to every leg at once, each in an envelope of its own', async () => {
    const { posts, clock } = await searching();
    expect(posts.map(({ leg, envelope }) => [leg.id, envelope.context.domain])).toEqual([
      ['moa', 'schemes:moa'],
      ['mh', 'schemes:mh'],
    ]);
    const ids = posts.flatMap(({ envelope }) => [envelope.context.transaction_id, envelope.context.message_id]);
    expect(new Set(ids).size).toBe(4);
    expect(posts.map(({ envelope }) => envelope.message.intent.item.descriptor.name)).toEqual(['vitamin', 'vitamin']);
    expect(clock.monotonic()).toBe(0);
  });

  it('answers with both callbacks as they came, in the order of the legs', async () => {
    const { clock, running, callsLeg, idOf, nothingIsLeft } = await searching();
    clock.advance(2_000);
    expect(await callsLeg(1)).toBe('delivered');
    clock.advance(3_000);
    expect(await callsLeg(0)).toBe('delivered');
    expect(await running.answer).toEqual({
      elapsedMs: 5_000,
      legs: [
        { leg: bothLegs[0], transactionId: idOf(0), elapsedMs: 5_000, callback: anOnSearch(idOf(0)) },
        { leg: bothLegs[1], transactionId: idOf(1), elapsedMs: 2_000, callback: anOnSearch(idOf(1)) },
      ],
    });
    nothingIsLeft();
  });

  it('tells of a leg as soon as it settles, while the other still waits', async () => {
    const { clock, running, callsLeg, memory } = await searching();
    clock.advance(10);
    await callsLeg(1);
    expect(inShort((await running.legs[1]) as LegOutcome)).toEqual(['mh', 'delivered', 10]);
    expect(memory.pending).toBe(1);
  });

  it('is not answered by acknowledgements alone', async () => {
    const { clock, running, memory } = await searching({
      transport: fakeSearchTransport({ moa: acknowledged, mh: acknowledged }),
    });
    clock.advance(timeoutMs - 1);
    await everythingSettles();
    expect(memory.pending).toBe(2);
    clock.advance(1);
    expect(await answerInShort(running)).toEqual([
      ['moa', 'timeout', timeoutMs],
      ['mh', 'timeout', timeoutMs],
    ]);
  });

  it.each([1, 32])('may have %d legs', async (count) => {
    const legs = Array.from({ length: count }, (_, leg) => aLeg(`leg-${leg}`));
    const { clock, running, callsLeg, nothingIsLeft, memory } = await searching({ legs });
    expect(memory.pending).toBe(count);
    for (let leg = count - 1; leg >= 0; leg--) {
      clock.advance(1);
      await callsLeg(leg);
    }
    expect(await answerInShort(running)).toEqual(legs.map(({ id }, leg) => [id, 'delivered', count - leg]));
    nothingIsLeft();
  });

  it.each(['__proto__', 'constructor'])('may have a leg named %s', async (id) => {
    const { running, callsLeg, nothingIsLeft } = await searching({ legs: [aLeg(id)] });
    await callsLeg(0);
    expect(await answerInShort(running)).toEqual([[id, 'delivered', 0]]);
    nothingIsLeft();
  });
});

describe('a callback', () => {
  it('is delivered when it comes before the acknowledgement, while the post is still being made', async () => {
    const fates: OfferOutcome[] = [];
    const transport: SearchTransport = {
      post: (_leg, { context }) => {
        void all.memory
          .offer(context.transaction_id, anOnSearch(context.transaction_id).text)
          .andTee((fate) => fates.push(fate));
        return new ResultAsync(Promise.withResolvers<typeof acknowledged>().promise);
      },
    };
    const all = given({ transport });
    const running = await succeeds(all.start());
    expect(await answerInShort(running)).toEqual([
      ['moa', 'delivered', 0],
      ['mh', 'delivered', 0],
    ]);
    expect(fates).toEqual(['delivered', 'delivered']);
    expect({ waiting: all.memory.pending, tasks: all.clock.scheduled }).toEqual(nothing);
  });

  it('stands although its post is refused afterwards', async () => {
    const { running, callsLeg, posts } = await searching();
    await callsLeg(0);
    await callsLeg(1);
    posts[0]?.answer(refused);
    await everythingSettles();
    expect(await answerInShort(running)).toEqual([
      ['moa', 'delivered', 0],
      ['mh', 'delivered', 0],
    ]);
  });

  it('counts once: the first one wins', async () => {
    const { running, callsLeg, idOf, memory } = await searching();
    await callsLeg(0);
    const again = await memory.offer(idOf(0), toJson({ again: true }).text);
    expect(again).toEqual(ok('duplicate'));
    expect(await running.legs[0]).toMatchObject({ callback: anOnSearch(idOf(0)) });
  });

  it.each([
    ['refused', ({ posts }: Pick<FakeSearchTransport, 'posts'>) => posts[0]?.answer(refused)],
    ['timed out', ({ clock }: { readonly clock: FakeClock }) => clock.advance(timeoutMs)],
  ])('is late when its leg has %s', async (_, ends) => {
    const search = await searching();
    ends(search);
    await search.running.legs[0];
    expect(await search.callsLeg(0)).toBe('late');
  });

  it('delivers when it comes at the very moment of the deadline, but before it', async () => {
    const clock = fakeClock();
    const fates: OfferOutcome[] = [];
    clock.after(timeoutMs, () => void search.callsLeg(0).then((fate) => fates.push(fate)));
    const search = await searching({ clock });
    clock.advance(timeoutMs);
    expect(await answerInShort(search.running)).toEqual([
      ['moa', 'delivered', timeoutMs],
      ['mh', 'timeout', timeoutMs],
    ]);
    await everythingSettles();
    expect(fates).toEqual(['delivered']);
    search.nothingIsLeft();
  });

  it('is late when it comes at the very moment of the deadline, but after it', async () => {
    const search = await searching();
    const fates: OfferOutcome[] = [];
    search.clock.after(timeoutMs, () => void search.callsLeg(0).then((fate) => fates.push(fate)));
    search.clock.advance(timeoutMs);
    expect(await answerInShort(search.running)).toEqual([
      ['moa', 'timeout', timeoutMs],
      ['mh', 'timeout', timeoutMs],
    ]);
    await everythingSettles();
    expect(fates).toEqual(['late']);
  });
});

describe('a post that fails', () => {
  it('fails its leg at once and leaves the other waiting', async () => {
    const { clock, running, callsLeg, posts, memory, nothingIsLeft } = await searching();
    clock.advance(120);
    posts[0]?.answer(refused);
    expect(await running.legs[0]).toMatchObject({
      elapsedMs: 120,
      error: { kind: 'bap_unreachable', detail: 'the network refused' },
    });
    expect(clock.monotonic()).toBe(120);
    expect(memory.pending).toBe(1);
    expect(posts.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    clock.advance(2_000);
    await callsLeg(1);
    expect(await answerInShort(running)).toEqual([
      ['moa', 'bap_unreachable', 120],
      ['mh', 'delivered', 2_120],
    ]);
    nothingIsLeft();
  });

  it('does not hold the answer back when all of them do', async () => {
    const { clock, running, nothingIsLeft } = await searching({
      transport: fakeSearchTransport({ moa: refused, mh: refused }),
    });
    expect(await answerInShort(running)).toEqual([
      ['moa', 'bap_unreachable', 0],
      ['mh', 'bap_unreachable', 0],
    ]);
    expect(clock.monotonic()).toBe(0);
    nothingIsLeft();
  });

  const broken: Record<string, SearchTransport['post']> = {
    throws: () => {
      throw new Error('a bug in the transport');
    },
    rejects: () => new ResultAsync(Promise.reject(new Error('a bug in the transport'))),
  };
  it.each(Object.keys(broken))('by a transport that %s fails its own leg only', async (how) => {
    const working = fakeSearchTransport();
    const transport: SearchTransport = {
      post: (leg, ...args) => (leg.id === 'moa' ? broken[how]! : working.post)(leg, ...args),
    };
    const { running, calls, memory, clock } = await searching({ transport });
    expect(await running.legs[0]).toMatchObject({ error: unexpected });
    expect(memory.pending).toBe(1);
    expect(await calls(working.posts[0]?.envelope.context.transaction_id ?? '')).toBe('delivered');
    expect(await answerInShort(running)).toEqual([
      ['moa', 'bap_unreachable', 0],
      ['mh', 'delivered', 0],
    ]);
    expect({ waiting: memory.pending, tasks: clock.scheduled }).toEqual(nothing);
  });
});

describe('a catalog in the acknowledgement', () => {
  const callback = toJson({ message: { catalog: { providers: [] } } });
  const catalog = ok({ outcome: 'catalog', callback } as const);

  it('delivers its leg at once, and a callback after it is a duplicate', async () => {
    const { running, callsLeg, posts, memory } = await searching();
    posts[0]?.answer(catalog);
    expect(await running.legs[0]).toMatchObject({ elapsedMs: 0, callback });
    expect(memory.pending).toBe(1);
    expect(await callsLeg(0)).toBe('duplicate');
  });

  it('changes nothing after the callback', async () => {
    const { running, callsLeg, posts, idOf } = await searching();
    await callsLeg(0);
    posts[0]?.answer(catalog);
    await everythingSettles();
    expect(await running.legs[0]).toMatchObject({ callback: anOnSearch(idOf(0)) });
  });

  it('does not overtake a callback that came first and is still on its way from another instance', async () => {
    const { running, callsLeg, posts, idOf } = await searching({
      through: (memory) => ({ ...memory, offer: () => okAsync('duplicate') }),
    });
    posts[0]?.answer(catalog);
    await everythingSettles();
    await callsLeg(0);
    expect(await running.legs[0]).toMatchObject({ callback: anOnSearch(idOf(0)) });
  });

  it('changes nothing after the deadline', async () => {
    const answered = Promise.withResolvers<typeof catalog>();
    const transport: SearchTransport = { post: () => new ResultAsync(answered.promise) };
    const { running, clock, nothingIsLeft } = await searching({ transport });
    clock.advance(timeoutMs);
    answered.resolve(catalog);
    await everythingSettles();
    expect(await running.legs[0]).toMatchObject({ error: tooLate });
    nothingIsLeft();
  });

  it.each([
    ['fails', () => errAsync(upstream('search', 'unreachable')), { callback }],
    ['breaks', () => new ResultAsync<never, never>(Promise.reject(new Error('a bug'))), { error: unexpected }],
  ])('leaves nothing waiting when the exchange %s', async (_, offer, outcome) => {
    const { running, posts, memory, callsLeg, nothingIsLeft } = await searching({
      through: (memory) => ({ ...memory, offer }),
    });
    posts[0]?.answer(catalog);
    expect(await running.legs[0]).toMatchObject(outcome);
    await everythingSettles();
    expect(memory.pending).toBe(1);
    await callsLeg(1);
    await running.answer;
    nothingIsLeft();
  });
});

describe('the deadline', () => {
  it('fails what still waits, to the millisecond, and gives its posts up', async () => {
    const { clock, running, posts, callsLeg, memory, nothingIsLeft } = await searching();
    await callsLeg(1);
    clock.advance(timeoutMs - 1);
    await everythingSettles();
    expect([memory.pending, posts[0]?.signal.aborted]).toEqual([1, false]);
    clock.advance(1);
    expect(await running.legs[0]).toMatchObject({ elapsedMs: timeoutMs, error: tooLate });
    expect(posts.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect(await answerInShort(running)).toEqual([
      ['moa', 'timeout', timeoutMs],
      ['mh', 'delivered', 0],
    ]);
    nothingIsLeft();
  });

  it('runs from the start, also when registering took time', async () => {
    const { registers, through } = slowToRegister();
    const all = given({ through });
    const starting = all.start();
    all.clock.advance(4_000);
    registers();
    const running = await succeeds(starting);
    all.clock.advance(5_999);
    await everythingSettles();
    expect(all.memory.pending).toBe(2);
    all.clock.advance(1);
    expect(await answerInShort(running)).toEqual([
      ['moa', 'timeout', timeoutMs],
      ['mh', 'timeout', timeoutMs],
    ]);
  });

  it.each([timeoutMs, timeoutMs + 500])('posts nothing when registering took %d ms', async (took) => {
    const { registers, through } = slowToRegister();
    const all = given({ through });
    const starting = all.start();
    all.clock.advance(took);
    registers();
    expect(await answerInShort(await succeeds(starting))).toEqual([
      ['moa', 'timeout', took],
      ['mh', 'timeout', took],
    ]);
    expect(all.posts).toEqual([]);
    expect({ waiting: all.memory.pending, tasks: all.clock.scheduled }).toEqual(nothing);
  });

  it('belongs to its own search', async () => {
    const all = given();
    const first = await succeeds(all.start());
    all.clock.advance(1);
    const second = await succeeds(all.start());
    all.clock.advance(timeoutMs - 1);
    expect(await answerInShort(first)).toEqual([
      ['moa', 'timeout', timeoutMs],
      ['mh', 'timeout', timeoutMs],
    ]);
    expect(all.memory.pending).toBe(2);
    for (const { envelope } of all.posts) await all.calls(envelope.context.transaction_id);
    expect((await second.answer).legs.every((outcome) => 'callback' in outcome)).toBe(true);
    expect(all.clock.scheduled).toBe(0);
  });
});

describe('elapsed time', () => {
  it('is in whole milliseconds and never runs back, even when the wall clock jumps', async () => {
    const clock = fakeClock();
    let wall = 1_767_225_600_000;
    const seen: Clock = { now: () => wall, monotonic: () => 0.4 + clock.monotonic() * 1.1, after: clock.after };
    const legs = [aLeg('a'), aLeg('b'), aLeg('c')];
    const { running, callsLeg } = await searching({ clock, seen, legs });
    for (const [leg, jump] of [3_600_000, -7_200_000, 1].entries()) {
      wall += jump;
      clock.advance(7);
      await callsLeg(leg);
    }
    const { elapsedMs, legs: outcomes } = await running.answer;
    expect([...outcomes.map((outcome) => outcome.elapsedMs), elapsedMs]).toEqual([8, 15, 23, 23]);
  });

  it('is not read from a callback', async () => {
    const { clock, running, idOf, memory } = await searching({ legs: [aLeg('moa')] });
    clock.advance(5);
    await memory.offer(idOf(0), toJson({ context: { timestamp: '1999-01-01T00:00:00.000Z' }, message: {} }).text);
    expect((await running.answer).elapsedMs).toBe(5);
  });
});

describe('a client that leaves', () => {
  const abandoned = [
    { leg: { id: 'moa' }, error: givenUp },
    { leg: { id: 'mh' }, error: givenUp },
  ];

  it('before the search starts has nothing posted', async () => {
    const client = watchedClient();
    client.leaves();
    const { running, posts, nothingIsLeft } = await searching({ signal: client.signal });
    expect((await running.answer).legs).toMatchObject(abandoned);
    expect(posts).toEqual([]);
    expect(client.listeners).toBe(0);
    nothingIsLeft();
  });

  it('while the search is being registered has nothing posted and nothing left waiting', async () => {
    const client = watchedClient();
    const { registers, through } = slowToRegister();
    const all = given({ through, signal: client.signal });
    const starting = all.start();
    client.leaves();
    registers();
    expect((await (await succeeds(starting)).answer).legs).toMatchObject(abandoned);
    expect(all.posts).toEqual([]);
    expect({ waiting: all.memory.pending, tasks: all.clock.scheduled }).toEqual(nothing);
    expect(client.listeners).toBe(0);
  });

  it('while the posts are being made has the rest of them not made', async () => {
    const client = watchedClient();
    const posted: string[] = [];
    const transport: SearchTransport = {
      post: (leg, _, signal) => {
        client.leaves();
        posted.push(`${leg.id}, ${signal.aborted ? 'given up' : 'wanted'}`);
        return new ResultAsync(Promise.resolve(acknowledged));
      },
    };
    const { running, nothingIsLeft } = await searching({ transport, signal: client.signal });
    expect((await running.answer).legs).toMatchObject(abandoned);
    expect(posted).toEqual(['moa, given up']);
    nothingIsLeft();
  });

  it('after the posts abandons both legs, and what still comes is late', async () => {
    const client = watchedClient();
    const { clock, running, posts, callsLeg, nothingIsLeft } = await searching({ signal: client.signal });
    clock.advance(300);
    client.leaves();
    expect((await running.answer).legs).toMatchObject(abandoned);
    expect((await running.answer).elapsedMs).toBe(300);
    expect(posts.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    nothingIsLeft();
    expect([await callsLeg(0), await callsLeg(1)]).toEqual(['late', 'late']);
    expect(client.listeners).toBe(0);
  });

  it('loses only what had not come yet', async () => {
    const client = watchedClient();
    const { running, callsLeg } = await searching({ signal: client.signal });
    await callsLeg(1);
    client.leaves();
    expect(await answerInShort(running)).toEqual([
      ['moa', 'bap_unreachable', 0],
      ['mh', 'delivered', 0],
    ]);
  });

  it('after the answer changes nothing, and nobody listened any longer', async () => {
    const client = watchedClient();
    const { running, callsLeg } = await searching({ signal: client.signal });
    expect(client.listeners).toBe(1);
    await callsLeg(0);
    await callsLeg(1);
    await running.answer;
    expect(client.listeners).toBe(0);
    client.leaves();
    expect((await running.answer).legs.map((outcome) => 'callback' in outcome)).toEqual([true, true]);
  });
});

describe('an exchange that cannot register', () => {
  it.each([
    ['before it took anything in', () => errAsync(upstream('search', 'unreachable'))],
    [
      'after it took everything in',
      (memory: CallbackExchange, ...args: Parameters<CallbackExchange['expect']>) =>
        memory.expect(...args).andThen(() => err(upstream('search', 'unreachable'))),
    ],
  ])('fails the search, %s: nothing is posted and nothing waits', async (_, expectations) => {
    const client = watchedClient();
    const { start, posts, memory, clock } = given({
      signal: client.signal,
      through: (memory) => ({ ...memory, expect: (...args) => expectations(memory, ...args) }),
    });
    expect(await start()).toEqual(err(upstream('search', 'unreachable')));
    expect(posts).toEqual([]);
    expect({ waiting: memory.pending, tasks: clock.scheduled }).toEqual(nothing);
    expect(client.listeners).toBe(0);
  });

  it('is told how long the search waits at most', async () => {
    const ttls: number[] = [];
    const { start } = given({
      through: (memory) => ({
        ...memory,
        expect: (expectations, ttlMs) => {
          ttls.push(ttlMs);
          return memory.expect(expectations, ttlMs);
        },
      }),
    });
    await start();
    expect(ttls).toEqual([timeoutMs]);
  });
});
