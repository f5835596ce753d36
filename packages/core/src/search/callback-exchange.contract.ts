import { contractSuite, equal, succeeds } from '../shared/contract.ts';
import { type Json, toJson } from '../shared/json.ts';
import type { CallbackExchange } from './callback-exchange.port.ts';

export interface CallbackExchangeSubject {
  readonly exchange: CallbackExchange;
  /** Ids that nobody used before. */
  readonly fresh: () => string;
}

const ttlMs = 10_000;
const first = toJson({ message: { catalog: { first: true } } });
const second = toJson({ message: { catalog: { first: false } } });

/** Registers one leg and keeps what is delivered to it. */
const waiting = async (exchange: CallbackExchange, transactionId: string) => {
  const delivered: Json[] = [];
  const expectation = { transactionId, legId: 'moa', deliver: (callback: Json) => void delivered.push(callback) };
  await succeeds(exchange.expect([expectation], ttlMs));
  return delivered;
};

export const callbackExchangeContract = contractSuite<CallbackExchangeSubject>('callback exchange', {
  'delivers a callback to the leg that waits for it, as it came': async ({ exchange, fresh }) => {
    const id = fresh();
    const delivered = await waiting(exchange, id);
    equal(await succeeds(exchange.offer(id, first)), 'delivered', 'the fate of the callback');
    equal(
      delivered.map(({ text }) => text),
      [first.text],
      'what was delivered',
    );
  },
  'delivers the first callback only': async ({ exchange, fresh }) => {
    const id = fresh();
    const delivered = await waiting(exchange, id);
    await succeeds(exchange.offer(id, first));
    equal(await succeeds(exchange.offer(id, second)), 'duplicate', 'the fate of the second');
    equal(
      delivered.map(({ text }) => text),
      [first.text],
      'what was delivered',
    );
  },
  'delivers nothing to a leg that was released': async ({ exchange, fresh }) => {
    const id = fresh();
    const delivered = await waiting(exchange, id);
    exchange.release(id);
    equal(await succeeds(exchange.offer(id, first)), 'late', 'the fate of the callback');
    equal(delivered.length, 0, 'how many were delivered');
  },
  'does not know a callback that nobody waited for': async ({ exchange, fresh }) => {
    equal(await succeeds(exchange.offer(fresh(), first)), 'unknown', 'the fate of the callback');
  },
  'keeps the legs of a search apart': async ({ exchange, fresh }) => {
    const [one, other] = [fresh(), fresh()];
    const deliveredToOne = await waiting(exchange, one);
    const deliveredToOther = await waiting(exchange, other);
    await succeeds(exchange.offer(other, first));
    equal([deliveredToOne.length, deliveredToOther.length], [0, 1], 'how many were delivered to each');
    exchange.release(one);
  },
  'knows which leg waits, while it waits': async ({ exchange, fresh }) => {
    const id = fresh();
    await waiting(exchange, id);
    equal(await succeeds(exchange.legOf(id)), 'moa', 'the leg');
    exchange.release(id);
    equal(await succeeds(exchange.legOf(id)), undefined, 'the leg after its release');
  },
  'counts who waits, and forgets who does not': async ({ exchange, fresh }) => {
    const before = exchange.pending;
    const [delivered, released] = [fresh(), fresh()];
    await waiting(exchange, delivered);
    await waiting(exchange, released);
    equal(exchange.pending - before, 2, 'how many wait');
    await succeeds(exchange.offer(delivered, first));
    exchange.release(released);
    exchange.release(released);
    equal(exchange.pending - before, 0, 'how many wait in the end');
  },
});
