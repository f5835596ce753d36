import { equal, succeeds } from '../../contract/assertions.ts';
import type { CallbackExchange, Expectation } from './callback-exchange.port.ts';

export interface CallbackExchangeSubject {
  readonly exchange: CallbackExchange;
  /** Returns an id that has not been used before. */
  readonly fresh: () => string;
}

export const ttlMs = 10_000;
export const first = '{ "message": {"catalog":{"n":1.50,"name":"Zähne für 5 €"}}}';
export const second = '{"message":{"catalog":{"n":2}}}';
const alike = '{"message":{"catalog":{"n":3}}}';

/** Registers a leg that collects, and returns what happens to it. */
export const collect = async (exchange: CallbackExchange, transactionId: string, more: Partial<Expectation> = {}) => {
  const happened: string[] = [];
  const collects = { maxCallbacks: 3, maxBytes: 1000 };
  const deliver = (callback: string) => void happened.push(callback);
  const overflow = () => void happened.push('overflow');
  await succeeds(exchange.expect([{ transactionId, legId: 'mh', collects, deliver, overflow, ...more }], ttlMs));
  return happened;
};

type Promises = Readonly<Record<string, (subject: CallbackExchangeSubject) => Promise<void>>>;

/** The promises of a callback exchange about legs that collect. */
export const collectingPromises: Promises = {
  'delivers every callback to a leg that collects, in the order of arrival': async ({ exchange, fresh }) => {
    const id = fresh();
    const happened = await collect(exchange, id);
    equal(await succeeds(exchange.offer(id, first)), 'delivered', 'the outcome of the first callback');
    equal(await succeeds(exchange.offer(id, second)), 'delivered', 'the outcome of the second callback');
    // A catalog of another seller may have the same length and the same beginning.
    equal(await succeeds(exchange.offer(id, alike)), 'delivered', 'the outcome of a callback of the same length');
    equal(happened, [first, second, alike], 'what was delivered');
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
  'counts a leg that collects as pending until it is released': async ({ exchange, fresh }) => {
    const before = exchange.pending;
    const id = fresh();
    await collect(exchange, id);
    await succeeds(exchange.offer(id, first));
    equal(exchange.pending - before, 1, 'the number of pending legs after a callback');
    exchange.release(id);
    equal(exchange.pending - before, 0, 'the number of pending legs after the release');
  },
};
