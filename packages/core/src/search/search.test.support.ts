import { err, type Result, ResultAsync } from 'neverthrow';
import { type FakeClock, fakeClock } from '../runtime/clock.fake.ts';
import type { Clock } from '../runtime/clock.port.ts';
import { fakeIds } from '../runtime/ids.fake.ts';
import { createSignal, type Signal } from '../runtime/signal.ts';
import { succeeds } from '../shared/contract.ts';
import type { CallbackExchange, OfferOutcome } from './callbacks/callback-exchange.port.ts';
import { correlate } from './correlator.ts';
import { aLeg, anOnSearch } from './leg.fake.ts';
import type { Leg, LegFailure } from './leg.ts';
import { memoryCallbackExchange } from './callbacks/memory-callback-exchange.ts';
import { type FakeSearchTransport, fakeSearchTransport } from './search-transport.fake.ts';
import type { Acknowledgement, SearchTransport } from './search-transport.port.ts';

/** Lets everything happen that needs no time to pass. */
export const everythingSettles = async (): Promise<void> => {
  for (let turn = 0; turn < 32; turn++) await Promise.resolve();
};

/** A client that may leave, and who still listens to it. */
export const watchedClient = () => {
  const { signal: inner, abort } = createSignal();
  const listeners = new Set<() => void>();
  const signal: Signal = {
    get aborted() {
      return inner.aborted;
    },
    addEventListener: (type, listener) => {
      listeners.add(listener);
      inner.addEventListener(type, listener);
    },
    removeEventListener: (type, listener) => {
      listeners.delete(listener);
      inner.removeEventListener(type, listener);
    },
  };
  return {
    signal,
    leaves: abort,
    get listeners() {
      return listeners.size;
    },
  };
};

export const timeoutMs = 10_000;
export const refused: Result<Acknowledgement, LegFailure> = err({
  kind: 'bap_unreachable',
  detail: 'the network refused',
});
export const givenUp: LegFailure = { kind: 'bap_unreachable', detail: 'the search was given up' };
export const tooLate: LegFailure = { kind: 'timeout', detail: 'no callback within 10000 ms' };
export const unexpected: LegFailure = { kind: 'bap_unreachable', detail: 'the post failed unexpectedly' };

export interface Given {
  readonly legs?: readonly Leg[];
  readonly transport?: SearchTransport;
  /** What stands between the search and the exchange in memory. */
  readonly through?: (memory: CallbackExchange) => CallbackExchange;
  readonly clock?: FakeClock;
  /** The clock that the search sees, when it is not the same. */
  readonly seen?: Clock;
  readonly signal?: Signal;
}

/** A search that has not started, and all that it will meet. */
export const given = ({
  legs = [aLeg('moa'), aLeg('mh')],
  through = (memory) => memory,
  clock = fakeClock(),
  ...more
}: Given = {}) => {
  const memory = memoryCallbackExchange(clock);
  const transport = more.transport ?? fakeSearchTransport();
  const ports = { transport, exchange: through(memory), clock: more.seen ?? clock, ids: fakeIds() };
  return {
    clock,
    memory,
    /** The posts, when they are made by the fake. */
    posts: (transport as FakeSearchTransport).posts,
    start: () => correlate(ports, legs, 'vitamin', timeoutMs, more.signal),
    calls: async (transactionId: string): Promise<OfferOutcome> =>
      await succeeds(memory.offer(transactionId, anOnSearch(transactionId).text)),
  };
};

/** An exchange that takes its time to register. */
export const slowToRegister = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    registers: resolve,
    through: (memory: CallbackExchange): CallbackExchange => ({
      ...memory,
      expect: (...args) => ResultAsync.fromSafePromise(promise).andThen(() => memory.expect(...args)),
    }),
  };
};
