import { contractSuite, equal, succeeds } from '../../shared/contract.ts';
import type { CallbackExchange } from './callback-exchange.port.ts';

export interface CallbackExchangeSubject {
  readonly exchange: CallbackExchange;
  /** Ids that were never used before. */
  readonly fresh: () => string;
}

const ttlMs = 10_000;
const first = '{ "message": {"catalog":{"n":1.50}}}';
const second = '{"message":{"catalog":{"n":2}}}';

/** Registers one leg and keeps what is delivered to it. */
const waiting = async (exchange: CallbackExchange, transactionId: string, isVerifiedOnly?: boolean) => {
  const delivered: string[] = [];
  const deliver = (callback: string) => void delivered.push(callback);
  const expectation = { transactionId, legId: 'moa', deliver, ...(isVerifiedOnly !== undefined && { isVerifiedOnly }) };
  await succeeds(exchange.expect([expectation], ttlMs));
  return delivered;
};

export const callbackExchangeContract = contractSuite<CallbackExchangeSubject>('callback exchange', {
  'delivers a callback to the leg that waits for it, as it came': async ({ exchange, fresh }) => {
    const id = fresh();
    const delivered = await waiting(exchange, id);
    equal(await succeeds(exchange.offer(id, first)), 'delivered', 'the fate of the callback');
    equal(delivered, [first], 'what was delivered');
  },
  'delivers the first callback only': async ({ exchange, fresh }) => {
    const id = fresh();
    const delivered = await waiting(exchange, id);
    await succeeds(exchange.offer(id, first));
    equal(await succeeds(exchange.offer(id, second)), 'duplicate', 'the fate of the second');
    equal(delivered, [first], 'what was delivered');
  },
  'delivers nothing to a leg that was released': async ({ exchange, fresh }) => {
    const id = fresh();
    const delivered = await waiting(exchange, id);
    exchange.release(id);
    equal(await succeeds(exchange.offer(id, first)), 'late', 'the fate of the callback');
    equal(delivered.length, 0, 'how many were delivered');
  },
  'reports a callback that no leg ever waited for as unknown': async ({ exchange, fresh }) => {
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
  'delivers only verified callbacks to a leg that takes no others': async ({ exchange, fresh }) => {
    const id = fresh();
    const delivered = await waiting(exchange, id, true);
    equal(await succeeds(exchange.offer(id, first)), 'unverified', 'the fate of the unverified callback');
    equal(delivered, [], 'what was delivered');
    equal(await succeeds(exchange.offer(id, second, true)), 'delivered', 'the fate of the verified callback');
    equal(delivered, [second], 'what was delivered in the end');
    equal(await succeeds(exchange.offer(id, first)), 'duplicate', 'the fate of an unverified callback afterwards');
  },
  'counts the legs that wait, and forgets the others': async ({ exchange, fresh }) => {
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
