import { check, equal, succeeds } from '../../contract/assertions.ts';
import { contractSuite } from '../../contract/contract-suite.ts';
import { type CallbackContext, pairingOf, type Pairing } from './callback-context.ts';
import {
  collect,
  collectingPromises,
  type CallbackExchangeSubject,
  first,
  second,
  ttlMs,
} from './collecting-legs.contract.ts';
import type { CallbackExchange, Expectation } from './callback-exchange.port.ts';

export type { CallbackExchangeSubject };

/** Registers one leg and returns the callbacks delivered to it. */
const register = async (exchange: CallbackExchange, transactionId: string, more: Partial<Expectation> = {}) => {
  const delivered: string[] = [];
  const deliver = (callback: string) => void delivered.push(callback);
  await succeeds(exchange.expect([{ transactionId, legId: 'moa', deliver, ...more }], ttlMs));
  return delivered;
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
  'delivers only callbacks with the pairing of a leg': async ({ exchange, fresh }) => {
    for (const registerLeg of [register, collect]) {
      const id = fresh();
      const delivered = await registerLeg(exchange, id, { pairing: pairingOf(pairing) });
      for (const details of [{}, contextOf(id, { messageId: 'm-2' }), contextOf(id, { domain: undefined })])
        equal(await succeeds(exchange.offer(id, first, details)), 'mismatched', 'the outcome of another pairing');
      equal(delivered, [], 'what was delivered before');
      equal(await succeeds(exchange.offer(id, second, contextOf(id))), 'delivered', 'the outcome of the same pairing');
      equal(delivered, [second], 'what was delivered');
      exchange.release(id);
    }
  },
  'passes the context of a callback to its leg, or none': async ({ exchange, fresh }) => {
    const [one, other] = [fresh(), fresh()];
    const offered = new Map<string, unknown>();
    const passed = new Map<string, unknown>();
    const deliver = (callback: string, context?: CallbackContext) => void passed.set(callback, context);
    await register(exchange, one, { deliver });
    await collect(exchange, other, { deliver });
    const sellers = ['one.example', 'other.example', 'third.example', undefined];
    for (const [nth, sellerId] of sellers.entries()) {
      const id = nth === 0 ? one : other;
      const details = sellerId === undefined ? {} : { context: { ...contextOf(id).context, sellerId } };
      const callback = JSON.stringify({ message: { catalog: { n: nth } } });
      offered.set(callback, details.context);
      await succeeds(exchange.offer(id, callback, details));
    }
    exchange.release(other);
    equal([...passed.keys()], [...offered.keys()], 'the callbacks');
    for (const [callback, context] of passed)
      if (context !== undefined) equal(context, offered.get(callback), 'the context of a callback');
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
  ...collectingPromises,
});
