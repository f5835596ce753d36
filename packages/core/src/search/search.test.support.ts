import { err, type Result, ResultAsync } from 'neverthrow';
import { type FakeClock, fakeClock } from '../runtime/clock.fake.ts';
import type { Clock } from '../runtime/clock.port.ts';
import { fakeIds } from '../runtime/ids.fake.ts';
import type { Signal } from '../runtime/signal.ts';
import { succeeds } from '../contract/assertions.ts';
import type { CallbackExchange, OfferOutcome } from './callbacks/callback-exchange.port.ts';
import { correlate, type EnvelopeFor } from './correlator.ts';
import { buildEnvelope } from './envelope.ts';
import { aLeg, anOnSearch } from './leg.fake.ts';
import type { LegFailure, ListedLeg } from './leg.ts';
import { memoryCallbackExchange } from './callbacks/memory-callback-exchange.ts';
import { type FakeSearchTransport, fakeSearchTransport } from './transport/search-transport.fake.ts';
import type { Acknowledgement, SearchTransport } from './transport/search-transport.port.ts';

/** Runs everything that does not depend on the clock. */
export const flushMicrotasks = async (): Promise<void> => {
  for (let turn = 0; turn < 32; turn++) await Promise.resolve();
};

export const envelopesFor =
  (query: string): EnvelopeFor =>
  (leg, ids, now) =>
    buildEnvelope(leg, query, ids, now);

export const timeoutMs = 10_000;
export const refused: Result<Acknowledgement, LegFailure> = err({
  kind: 'bap_unreachable',
  detail: 'the network refused',
});
export const cancelled: LegFailure = { kind: 'bap_unreachable', detail: 'the search was cancelled' };
export const timedOut: LegFailure = { kind: 'timeout', detail: 'no callback within 10000 ms' };
export const unexpected: LegFailure = { kind: 'bap_unreachable', detail: 'the post failed unexpectedly' };

export interface SearchSetup {
  readonly legs?: readonly ListedLeg[];
  readonly transport?: SearchTransport;
  /** Wraps the memory exchange before it is passed to the search. */
  readonly wrapExchange?: (memoryExchange: CallbackExchange) => CallbackExchange;
  readonly clock?: FakeClock;
  /** The clock of the search, if different. */
  readonly searchClock?: Clock;
  readonly signal?: Signal;
}

/** Creates a search that has not started, and its fakes. */
export const createSearch = ({
  legs = [aLeg('moa'), aLeg('mh')],
  wrapExchange = (memoryExchange) => memoryExchange,
  clock = fakeClock(),
  ...more
}: SearchSetup = {}) => {
  const memoryExchange = memoryCallbackExchange(clock);
  const transport = more.transport ?? fakeSearchTransport();
  const ports = { transport, exchange: wrapExchange(memoryExchange), clock: more.searchClock ?? clock, ids: fakeIds() };
  return {
    clock,
    memoryExchange,
    /** The posts, if the transport is the fake. */
    posts: (transport as FakeSearchTransport).posts,
    start: () => correlate(ports, legs, { envelopeFor: envelopesFor('vitamin'), timeoutMs, signal: more.signal }),
    deliverCallback: async (transactionId: string): Promise<OfferOutcome> =>
      await succeeds(memoryExchange.offer(transactionId, anOnSearch(transactionId).text)),
  };
};

/** An exchange that registers legs only after `completeRegistration`. */
export const delayedRegistration = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    completeRegistration: resolve,
    wrapExchange: (memoryExchange: CallbackExchange): CallbackExchange => ({
      ...memoryExchange,
      expect: (...args) => ResultAsync.fromSafePromise(promise).andThen(() => memoryExchange.expect(...args)),
    }),
  };
};
