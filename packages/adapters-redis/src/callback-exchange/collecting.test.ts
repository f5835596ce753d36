import { randomUUID } from 'node:crypto';
import {
  type CallbackExchange,
  createSearchUseCases,
  type Expectation,
  memoryCallbackExchange,
  pairingOf,
  type SearchTransport,
  type SearchUseCases,
} from '@portico/core';
import { randomIds, systemClock } from '@portico/core/system';
import { aLeg, anOnSearch, fakeClock } from '@portico/core/testing';
import fc from 'fast-check';
import { ok, okAsync } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisClient } from '../client.ts';
import { commandsOf, hasRedis, inspector, type RedisServer, soon, startRedis } from '../redis-server.test.support.ts';
import type { RedisCallbackExchange } from './exchange.ts';
import {
  acrossInstances,
  anInstance,
  collectingAt,
  connected,
  eventually,
  exchangeAt,
  overloaded,
  ttlMs,
} from './exchange.test.support.ts';

const pairing = { messageId: 'm-1', bapId: 'bap.example', domain: 'retail' };

/** A leg of any mode, with limits that a few callbacks reach. */
const anyLeg = fc.record({
  collects: fc.option(
    fc.record({ maxCallbacks: fc.integer({ min: 1, max: 4 }), maxBytes: fc.constantFrom(4, 7, 100) }),
  ),
  isVerifiedOnly: fc.boolean(),
  isStrict: fc.boolean(),
});

const anOffer = fc.record({
  at: fc.nat({ max: 2 }),
  text: fc.constantFrom('1', '22', '"ñ"', '[1]', '{"n":5}'),
  isVerified: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.boolean()),
  context: fc.option(fc.constantFrom(pairing, pairing, { ...pairing, messageId: 'm-2' }), { nil: undefined, freq: 4 }),
});

type LegOf = typeof anyLeg extends fc.Arbitrary<infer T> ? T : never;
type Offered = typeof anOffer extends fc.Arbitrary<infer T> ? T : never;

const expectationOf = (
  { collects, isVerifiedOnly, isStrict }: LegOf,
  transactionId: string,
  happened: string[],
): Expectation => ({
  transactionId,
  legId: 'mh',
  isVerifiedOnly,
  deliver: (text) => void happened.push(text),
  overflow: () => void happened.push('overflow'),
  ...(collects && { collects }),
  ...(isStrict && { pairing: pairingOf(pairing) }),
});

const offerTo = async (
  exchange: Pick<CallbackExchange, 'offer'>,
  id: string,
  { text, isVerified, context }: Offered,
) => {
  const known = context && { transactionId: id, sellerId: 'bpp.example', ...context };
  return (await exchange.offer(id, text, { isVerified, context: known })).unwrapOr(undefined);
};

describe.skipIf(!hasRedis)('three instances with legs of every mode', () => {
  let redis: RedisServer;
  let all: readonly RedisCallbackExchange[];
  beforeAll(async () => {
    redis = await startRedis();
    all = [exchangeAt(redis), exchangeAt(redis), exchangeAt(redis)];
    await connected(...all);
  });
  afterAll(async () => {
    await Promise.all(all.map((exchange) => exchange.close()));
    await redis.stop();
  });

  it('decide like one exchange in memory, whichever instance a callback arrives at', async () => {
    const steps = fc.array(fc.oneof({ weight: 12, arbitrary: anOffer }, fc.constant('release' as const)), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(anyLeg, fc.nat({ max: 2 }), steps, async (leg, owner, actions) => {
        const id = randomUUID();
        const [actual, modelled]: [string[], string[]] = [[], []];
        let at = 0;
        const model = memoryCallbackExchange(fakeClock());
        const cluster = acrossInstances(all[owner]!, { offer: (...args) => all[at]!.offer(...args) });
        await model.expect([expectationOf(leg, id, modelled)], ttlMs);
        await cluster.expect([expectationOf(leg, id, actual)], ttlMs);
        for (const action of actions) {
          if (action === 'release') {
            for (const exchange of [model, cluster]) exchange.release(id);
            // Its reply comes after that of the release, which the owner does not wait for.
            await all[owner]!.offer(randomUUID(), '1');
            continue;
          }
          at = action.at;
          const outcome = await offerTo(model, id, action);
          expect(await offerTo(cluster, id, action)).toBe(outcome);
          // A search releases a leg at its first overflow.
          if (outcome === 'full') break;
        }
        expect(actual).toEqual(modelled);
        cluster.release(id);
        expect(all.map(({ pending }) => pending)).toEqual([0, 0, 0]);
      }),
      { numRuns: 150 },
    );
  });

  it('deliver each accepted text once, within the limits, when callbacks arrive everywhere at once', async () => {
    await fc.assert(
      fc.asyncProperty(anyLeg, fc.array(anOffer, { minLength: 2, maxLength: 20 }), async (leg, offers) => {
        const id = randomUUID();
        const happened: string[] = [];
        await all[0]!.expect([expectationOf(leg, id, happened)], ttlMs);
        const outcomes = await Promise.all(offers.map((offered) => offerTo(all[offered.at]!, id, offered)));
        const accepted = offers.filter((_, nth) => outcomes[nth] === 'delivered').map(({ text }) => text);
        const isFull = outcomes.includes('full');
        await eventually(() => happened.length, accepted.length + (isFull ? 1 : 0), { ...soon, interval: 1 });
        all[0]!.release(id);
        expect(happened.toSorted()).toEqual([...accepted, ...(isFull ? ['overflow'] : [])].toSorted());
        expect(new Set(accepted).size).toBe(accepted.length);
        const { maxCallbacks, maxBytes } = leg.collects ?? { maxCallbacks: 1, maxBytes: Infinity };
        expect(accepted.length).toBeLessThanOrEqual(maxCallbacks);
        expect(Buffer.byteLength(accepted.join(''))).toBeLessThanOrEqual(maxBytes);
        // Nothing that fits is refused: without an overflow, every admitted text is delivered or repeats one.
        const admitted = offers.filter(
          ({ isVerified, context }) =>
            (isVerified || !leg.isVerifiedOnly) && (!leg.isStrict || pairingOf(context) === pairingOf(pairing)),
        );
        if (leg.collects && !isFull) expect(new Set(accepted)).toEqual(new Set(admitted.map(({ text }) => text)));
        if (!leg.collects) expect(accepted).toHaveLength(Math.min(admitted.length, 1));
      }),
      { numRuns: 100 },
    );
  });

  it('deliver the callbacks of one instance in the order of arrival, however often the owner is woken', async () => {
    const { id, happened } = await collectingAt(all[0]!, { collects: { maxCallbacks: 1000, maxBytes: 1_000_000 } });
    const texts = Array.from({ length: 300 }, (_, nth) => `{"n":${nth}}`);
    await Promise.all(texts.map((text, nth) => all[1 + (nth % 2)]!.offer(id, text)));
    await eventually(() => happened.length, texts.length);
    for (const parity of [0, 1])
      expect(happened.filter((text) => Number(/\d+/.exec(text)) % 2 === parity)).toEqual(
        texts.filter((_, nth) => nth % 2 === parity),
      );
    all[0]!.release(id);
  });

  it('report the overflow behind the callbacks that were accepted before it', async () => {
    const { id, happened } = await collectingAt(all[0]!, { collects: { maxCallbacks: 25, maxBytes: 1_000_000 } });
    const offers = Array.from({ length: 30 }, (_, nth) => all[1]!.offer(id, `{"n":${nth}}`));
    const outcomes = (await Promise.all(offers)).map((outcome) => outcome.unwrapOr(undefined));
    expect(outcomes).toEqual([...Array<string>(25).fill('delivered'), ...Array<string>(5).fill('full')]);
    await eventually(() => happened, [...Array.from({ length: 25 }, (_, nth) => `{"n":${nth}}`), 'overflow']);
    all[0]!.release(id);
  });

  it('collect the callbacks of five sellers for each of 200 searches, and leave nothing but the end of each leg', async () => {
    const sellerIds = ['bpp-1', 'bpp-2', 'bpp-3', 'bpp-4', 'bpp-5'];
    const observer = redisClient({ url: redis.url });
    await observer.connect();
    await observer.flushDb();
    const instances: SearchUseCases[] = [];
    let sent = 0;
    const post: SearchTransport['post'] = (_, { context }) => {
      for (const sellerId of sellerIds)
        void instances[sent++ % 3]!.receiveCallback({ text: anOnSearch(context.transaction_id, { sellerId }).text });
      return okAsync({ outcome: 'ack' });
    };
    const ports = { transport: { post }, clock: systemClock, ids: randomIds };
    const legs = [aLeg('mh', { callbacks: { count: sellerIds.length } })];
    for (const exchange of all)
      instances.push(createSearchUseCases({ ...ports, exchange }, { legs, timeoutMs: 60_000 }));
    const request = { persona: 'member', query: 'health', user_id: 'one' };
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, async (_, nth) => {
        const running = await instances[nth % 3]!.search(request);
        const response = running.isOk() ? await running.value.response : undefined;
        return response?.legs[0]?.sellers?.map(({ sellerId }) => sellerId).toSorted();
      }),
    );
    expect(outcomes).toEqual(outcomes.map(() => sellerIds));
    expect(all.map(({ pending }) => pending)).toEqual([0, 0, 0]);
    const left = async () => (await observer.keys('*{*')).filter((key) => !key.endsWith(':leg'));
    await eventually(left, []);
    observer.destroy();
  });

  it('count what the owner receives itself', async () => {
    const { id } = await collectingAt(all[0]!, { collects: { maxCallbacks: 2, maxBytes: 1000 } });
    expect(await all[0]!.offer(id, 'one')).toEqual(ok('delivered'));
    expect(await all[1]!.offer(id, 'one')).toEqual(ok('duplicate'));
    expect(await all[2]!.offer(id, 'two')).toEqual(ok('delivered'));
    expect(await all[0]!.offer(id, 'two')).toEqual(ok('duplicate'));
    expect(await all[0]!.offer(id, 'three')).toEqual(ok('full'));
    all[0]!.release(id);
    await eventually(() => all[1]!.offer(id, 'two'), ok('late'));
  });
});

describe.skipIf(!hasRedis).concurrent('a leg that collects', () => {
  it('keeps expiring keys in one cluster slot, no text that was delivered, and only its end after the release', async (test) => {
    const redis = await startRedis();
    test.onTestFinished(redis.stop);
    const [owner, remote] = [anInstance(test, redis), anInstance(test, redis, { rememberMs: 5000 })];
    await connected(owner, remote);
    const observer = await inspector(test, redis);
    const { id, happened } = await collectingAt(owner);
    await remote.offer(id, '{"canary":true}');
    await eventually(() => happened.length, 1);
    const names = ['accepted', 'callback', 'leg'].map((name) => `portico:{${id}}:${name}`);
    expect((await observer.keys('*{*')).toSorted()).toEqual(names);
    for (const name of names) expect(await observer.pTTL(name)).toBeGreaterThan(0);
    await eventually(() => observer.xLen(`portico:{${id}}:callback`), 0);
    owner.release(id);
    await eventually(() => observer.keys('*{*'), [`portico:{${id}}:leg`]);
    expect(await observer.pTTL(`portico:{${id}}:leg`)).toBeLessThanOrEqual(60_000);
  });

  it('takes three commands for a callback on another instance', async (test) => {
    const redis = await startRedis();
    test.onTestFinished(redis.stop);
    const [owner, remote] = [anInstance(test, redis), anInstance(test, redis)];
    await connected(owner, remote);
    const { id, happened } = await collectingAt(owner);
    const { take } = await commandsOf(test, redis);
    const found: (string | undefined)[] = [];
    const isRemoved = async () => {
      found.push(...(await take()).map((command) => /^"(\w+)"/.exec(command)?.[1]));
      return found.at(-1) === 'XDEL';
    };
    await remote.offer(id, 'loads the script');
    await eventually(isRemoved, true);
    found.length = 0;
    await remote.offer(id, 'one');
    await eventually(isRemoved, true);
    expect(found).toEqual(['EVALSHA', 'EVALSHA', 'XDEL']);
    expect(happened).toHaveLength(2);
  });
});

describe.skipIf(!hasRedis).concurrent('an instance without memory for what its legs collect', () => {
  it('leaves accepted callbacks in Redis, refuses others, and goes on when a leg is released', async (test) => {
    const redis = await startRedis();
    test.onTestFinished(redis.stop);
    const owner = anInstance(test, redis, { maxCollectedBytes: 20 });
    const remote = anInstance(test, redis);
    await connected(owner, remote);
    const observer = await inspector(test, redis);
    const [large, small] = [await collectingAt(owner), await collectingAt(owner, { isVerifiedOnly: true })];
    const isVerified = { isVerified: true };
    await owner.offer(large.id, '"15 characters"');
    // Another instance does not know that the owner has no memory, and has acknowledged this one.
    expect(await remote.offer(small.id, '"accepted"', isVerified)).toEqual(ok('delivered'));
    await eventually(async () => (await observer.get(`portico:{${small.id}}:leg`))?.[0], 'p');
    expect(await remote.offer(small.id, '"second"', isVerified)).toEqual(overloaded);
    expect(await owner.offer(small.id, '"second"', isVerified)).toEqual(overloaded);
    expect([large.happened, small.happened]).toEqual([['"15 characters"'], []]);
    owner.release(large.id);
    await eventually(() => small.happened, ['"accepted"']);
    await eventually(async () => (await observer.get(`portico:{${small.id}}:leg`))?.[0], 'v');
    expect(await remote.offer(small.id, '"second"', isVerified)).toEqual(ok('delivered'));
    await eventually(() => small.happened, ['"accepted"', '"second"']);
    owner.release(small.id);
  });
});
