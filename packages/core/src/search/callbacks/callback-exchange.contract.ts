import { check, equal, succeeds } from '../../contract/assertions.ts';
import { contractSuite } from '../../contract/contract-suite.ts';
import { pairingOf, type Pairing } from './callback-context.ts';
import type { CallbackExchange, Expectation } from './callback-exchange.port.ts';

export interface CallbackExchangeSubject {
  readonly exchange: CallbackExchange;
  /** Returns an id that has not been used before. */
  readonly fresh: () => string;
}

const ttlMs = 10_000;
const first = '{ "message": {"catalog":{"n":1.50,"name":"Zähne für 5 €"}}}';
const second = '{"message":{"catalog":{"n":2}}}';

/** Registers one leg and returns the callbacks delivered to it. */
const register = async (exchange: CallbackExchange, transactionId: string, more: Partial<Expectation> = {}) => {
  const delivered: string[] = [];
  const deliver = (callback: string) => void delivered.push(callback);
  await succeeds(exchange.expect([{ transactionId, legId: 'moa', deliver, ...more }], ttlMs));
  return delivered;
};

/** Registers a leg that collects, and returns what happens to it. */
const collect = async (exchange: CallbackExchange, transactionId: string, more: Partial<Expectation> = {}) => {
  const happened: string[] = [];
  const collects = { maxCallbacks: 3, maxBytes: 1000 };
  const deliver = (callback: string) => void happened.push(callback);
  const overflow = () => void happened.push('overflow');
  await succeeds(exchange.expect([{ transactionId, legId: 'mh', collects, deliver, overflow, ...more }], ttlMs));
  return happened;
};

const pairing: Pairing = { messageId: 'm-1', bapId: 'bap.example', domain: 'retail' };
const contextOf = (transactionId: string, repeated: Partial<Pairing> = {}) => ({
  context: { transactionId, sellerId: 'bpp.example', ...pairing, ...repeated },
});

export const callbackExchangeContract = contractSuite<CallbackExchangeSubject>('callback exchange', {
  'delivers a callback unchanged to the leg that waits for it': async ({ exchange, fresh }) => {
    for (const callback of [first, JSON.stringify({ message: { catalog: first.repeat(2000) } })]) {
      const id = fresh();
      const delivered = await register(exchange, id);
      equal(await succeeds(exchange.offer(id, callback)), 'delivered', 'the outcome of the callback');
      check(delivered.length === 1 && delivered[0] === callback, 'the callback is delivered as it was received');
    }
  },
  'calls deliver and overflow as methods of their leg': async ({ exchange, fresh }) => {
    const calledOn: unknown[] = [];
    const leg: Expectation = {
      transactionId: fresh(),
      legId: 'mh',
      collects: { maxCallbacks: 1, maxBytes: 1000 },
      deliver() {
        calledOn.push(this);
      },
      overflow() {
        calledOn.push(this);
      },
    };
    await succeeds(exchange.expect([leg], ttlMs));
    for (const callback of [first, second]) await succeeds(exchange.offer(leg.transactionId, callback));
    check(
      calledOn.length === 2 && calledOn.every((object) => object === leg),
      'each call should have the leg as `this`',
    );
    exchange.release(leg.transactionId);
  },
  'delivers only the first callback': async ({ exchange, fresh }) => {
    const id = fresh();
    const delivered = await register(exchange, id);
    await succeeds(exchange.offer(id, first));
    equal(await succeeds(exchange.offer(id, second)), 'duplicate', 'the outcome of the second callback');
    equal(delivered, [first], 'what was delivered');
  },
  'delivers nothing more once the callback was delivered': async ({ exchange, fresh }) => {
    const id = fresh();
    const delivered = await register(exchange, id);
    await succeeds(exchange.offer(id, first));
    for (let others = 0; others < 20; others++) await succeeds(exchange.offer(fresh(), second));
    equal(delivered, [first], 'what was delivered');
  },
  'delivers nothing to a leg that is released while a callback arrives': async ({ exchange, fresh }) => {
    const id = fresh();
    const delivered = await register(exchange, id);
    const offered = exchange.offer(id, first);
    exchange.release(id);
    const before = delivered.length;
    await succeeds(offered);
    for (let others = 0; others < 20; others++) await succeeds(exchange.offer(fresh(), second));
    equal(delivered.length, before, 'the number of delivered callbacks after the release');
  },
  'reports unknown for a transaction id that begins or ends like a registered one': async ({ exchange, fresh }) => {
    const id = fresh();
    const delivered = await register(exchange, id);
    for (const alike of [`${id}0`, `0${id}`])
      equal(await succeeds(exchange.offer(alike, first)), 'unknown', 'the outcome of the callback');
    equal(delivered, [], 'what was delivered');
    exchange.release(id);
  },
  'delivers one of several callbacks that arrive at the same time': async ({ exchange, fresh }) => {
    const id = fresh();
    const delivered = await register(exchange, id);
    const offers = [first, second, first].map((callback) => succeeds(exchange.offer(id, callback)));
    const outcomes = await Promise.all(offers);
    equal(outcomes.toSorted(), ['delivered', 'duplicate', 'duplicate'], 'the outcomes of the callbacks');
    equal(delivered.length, 1, 'the number of delivered callbacks');
  },
  'registers several legs at once': async ({ exchange, fresh }) => {
    const delivered: string[] = [];
    const legs = ['moa', 'mh'].map((legId) => ({
      transactionId: fresh(),
      legId,
      deliver: (callback: string) => void delivered.push(legId + callback),
    }));
    await succeeds(exchange.expect(legs, ttlMs));
    for (const { transactionId } of legs.toReversed()) await succeeds(exchange.offer(transactionId, first));
    equal(delivered, [`mh${first}`, `moa${first}`], 'what was delivered');
  },
  'releases only the leg with the transaction id': async ({ exchange, fresh }) => {
    const [kept, released] = [fresh(), fresh()];
    const delivered = await register(exchange, kept);
    await register(exchange, released);
    exchange.release(released);
    exchange.release(fresh());
    equal(await succeeds(exchange.offer(kept, first)), 'delivered', 'the outcome of the callback of the other leg');
    equal(delivered, [first], 'what was delivered');
  },
  'does not deliver a callback that came before its leg was registered': async ({ exchange, fresh }) => {
    const id = fresh();
    equal(await succeeds(exchange.offer(id, first)), 'unknown', 'the outcome of the early callback');
    const delivered = await register(exchange, id);
    equal(await succeeds(exchange.offer(id, second)), 'delivered', 'the outcome of the next callback');
    equal(delivered, [second], 'what was delivered');
  },
  'reports no degradedReason while it works': async ({ exchange, fresh }) => {
    await succeeds(exchange.offer(fresh(), first));
    equal(exchange.degradedReason, undefined, 'the degradedReason');
  },
  'delivers nothing to a leg that was released': async ({ exchange, fresh }) => {
    const id = fresh();
    const delivered = await register(exchange, id);
    exchange.release(id);
    equal(await succeeds(exchange.offer(id, first)), 'late', 'the outcome of the callback');
    equal(delivered.length, 0, 'the number of delivered callbacks');
  },
  'delivers a callback only to the leg with its transaction id': async ({ exchange, fresh }) => {
    const [one, other] = [fresh(), fresh()];
    const deliveredToOne = await register(exchange, one);
    const deliveredToOther = await register(exchange, other);
    await succeeds(exchange.offer(other, first));
    equal([deliveredToOne.length, deliveredToOther.length], [0, 1], 'the number of callbacks delivered to each leg');
    exchange.release(one);
  },
  'delivers only verified callbacks to a leg with isVerifiedOnly': async ({ exchange, fresh }) => {
    const id = fresh();
    const delivered = await register(exchange, id, { isVerifiedOnly: true });
    equal(await succeeds(exchange.offer(id, first)), 'unverified', 'the outcome of the unverified callback');
    equal(delivered, [], 'what was delivered');
    equal(
      await succeeds(exchange.offer(id, second, { isVerified: true })),
      'delivered',
      'the outcome of the verified callback',
    );
    equal(delivered, [second], 'what was delivered afterwards');
    equal(await succeeds(exchange.offer(id, first)), 'duplicate', 'the outcome of an unverified callback afterwards');
  },
  'delivers every callback to a leg that collects, in the order of arrival': async ({ exchange, fresh }) => {
    const id = fresh();
    const happened = await collect(exchange, id);
    equal(await succeeds(exchange.offer(id, first)), 'delivered', 'the outcome of the first callback');
    equal(await succeeds(exchange.offer(id, second)), 'delivered', 'the outcome of the second callback');
    equal(happened, [first, second], 'what was delivered');
    exchange.release(id);
  },
  'delivers a callback with the same text once to a leg that collects': async ({ exchange, fresh }) => {
    const id = fresh();
    const happened = await collect(exchange, id);
    const offers = [first, first, second, first].map((callback) => succeeds(exchange.offer(id, callback)));
    const outcomes = await Promise.all(offers);
    equal(outcomes.toSorted(), ['delivered', 'delivered', 'duplicate', 'duplicate'], 'the outcomes of the callbacks');
    equal(happened.toSorted(), [first, second].toSorted(), 'what was delivered');
    exchange.release(id);
  },
  'refuses more callbacks than a leg may collect, and reports the overflow': async ({ exchange, fresh }) => {
    const id = fresh();
    const happened = await collect(exchange, id, { collects: { maxCallbacks: 1, maxBytes: 1000 } });
    await succeeds(exchange.offer(id, first));
    equal(await succeeds(exchange.offer(id, first)), 'duplicate', 'the outcome of the callback that was sent twice');
    equal(happened, [first], 'what happened before the limit was exceeded');
    equal(await succeeds(exchange.offer(id, second)), 'full', 'the outcome of the callback beyond the limit');
    equal(happened, [first, 'overflow'], 'what happened');
    exchange.release(id);
  },
  'refuses more bytes of UTF-8 than a leg may collect, and reports the overflow': async ({ exchange, fresh }) => {
    const id = fresh();
    const text = '"\u00e9\u20ac\ud83d\ude00"';
    const happened = await collect(exchange, id, { collects: { maxCallbacks: 3, maxBytes: 11 } });
    equal(await succeeds(exchange.offer(id, text)), 'delivered', 'the outcome of a callback of 11 bytes');
    equal(await succeeds(exchange.offer(id, '1')), 'full', 'the outcome of one more byte');
    equal(happened, [text, 'overflow'], 'what happened');
    exchange.release(id);
  },
  'delivers nothing to a leg that collected and was released': async ({ exchange, fresh }) => {
    const id = fresh();
    const happened = await collect(exchange, id);
    await succeeds(exchange.offer(id, first));
    exchange.release(id);
    equal(await succeeds(exchange.offer(id, second)), 'late', 'the outcome of the callback after the release');
    equal(happened, [first], 'what was delivered');
  },
  'delivers only verified callbacks to a leg with isVerifiedOnly that collects': async ({ exchange, fresh }) => {
    const id = fresh();
    const happened = await collect(exchange, id, { isVerifiedOnly: true });
    for (const callback of [first, second]) {
      equal(await succeeds(exchange.offer(id, callback)), 'unverified', 'the outcome of the unverified callback');
      await succeeds(exchange.offer(id, callback, { isVerified: true }));
    }
    equal(happened, [first, second], 'what was delivered');
    exchange.release(id);
  },
  'delivers only callbacks with the pairing of a leg': async ({ exchange, fresh }) => {
    const id = fresh();
    const delivered = await register(exchange, id, { pairing: pairingOf(pairing) });
    for (const details of [{}, contextOf(id, { messageId: 'm-2' }), contextOf(id, { domain: undefined })])
      equal(await succeeds(exchange.offer(id, first, details)), 'mismatched', 'the outcome of another pairing');
    equal(delivered, [], 'what was delivered before');
    equal(await succeeds(exchange.offer(id, second, contextOf(id))), 'delivered', 'the outcome of the same pairing');
    equal(delivered, [second], 'what was delivered');
  },
  'counts a leg that collects as pending until it is released': async ({ exchange, fresh }) => {
    const before = exchange.pending;
    const id = fresh();
    await collect(exchange, id);
    await succeeds(exchange.offer(id, first));
    equal(exchange.pending - before, 1, 'the number of pending legs after a callback');
    exchange.release(id);
    equal(exchange.pending - before, 0, 'the number of pending legs after the release');
  },
  'counts pending legs, not those that were delivered or released': async ({ exchange, fresh }) => {
    const before = exchange.pending;
    const [delivered, released] = [fresh(), fresh()];
    await register(exchange, delivered);
    await register(exchange, released);
    equal(exchange.pending - before, 2, 'the number of pending legs');
    await succeeds(exchange.offer(delivered, first));
    exchange.release(released);
    exchange.release(released);
    equal(exchange.pending - before, 0, 'the number of pending legs afterwards');
  },
});
