import { errAsync, ok, okAsync } from 'neverthrow';
import { expect, it } from 'vitest';
import { fakeClock } from '../runtime/clock.fake.ts';
import { upstream } from '../shared/failure.ts';
import { toJson } from '../shared/json/json.ts';
import type { CallbackExchange } from './callbacks/callback-exchange.port.ts';
import { buildEnvelope } from './envelope.ts';
import { aLeg } from './leg.fake.ts';
import type { LegOutcome, SellerCallback } from './leg-outcome.ts';
import type { Leg } from './leg.ts';
import { PendingLeg } from './pending-leg.ts';
import { cancelled, flushMicrotasks, timedOut } from './search.test.support.ts';
import { fakeSearchTransport } from './transport/search-transport.fake.ts';

const ids = { transactionId: 't-1', messageId: 'm-1' };

const onSearch = (context: object = {}) =>
  toJson({ context: { action: 'on_search', transaction_id: 't-1', ...context }, message: { catalog: {} } });

/** A leg that is registered at an exchange which reports this for every callback. */
const registered = (settings: Partial<Leg>, offered: ReturnType<CallbackExchange['offer']> = okAsync('unknown')) => {
  const clock = fakeClock();
  const seen = { callbacks: [] as SellerCallback[], mismatches: 0, released: 0, outcome: undefined as unknown };
  const exchange: CallbackExchange = {
    expect: () => okAsync(undefined),
    offer: () => offered,
    release: () => void (seen.released += 1),
    pending: 1,
  };
  const leg = aLeg('mh', settings);
  const envelope = buildEnvelope(leg, 'vitamin', ids, 0);
  const pending = new PendingLeg(leg, envelope, {
    clock,
    exchange,
    verifier: undefined,
    elapsed: () => 7,
    onEvent: (event) => void (event.type === 'callback' && seen.callbacks.push(event.callback)),
    onMismatch: () => void (seen.mismatches += 1),
    ended: () => pending.settled,
  });
  void pending.settled.then((outcome) => (seen.outcome = outcome));
  return {
    pending,
    clock,
    seen,
    /** Posts the search to a network that responds with a catalog. */
    respondWithCatalog: async (callback = onSearch()) => {
      const bytes = new Uint8Array();
      const transport = fakeSearchTransport({ mh: ok({ outcome: 'catalog', callback: { ...callback, bytes } }) });
      pending.post(transport, envelope);
      await flushMicrotasks();
      return seen.outcome as LegOutcome | undefined;
    },
  };
};

const collecting = { callbacks: { until: 'deadline' } } as const;

it('a leg that has settled ignores callbacks, and is released once', async () => {
  const { pending, seen } = registered({ callbacks: { count: 1 } });
  pending.deliver(onSearch().text);
  pending.deliver(onSearch({ message_id: 'm-2' }).text);
  pending.overflow();
  pending.expire(timedOut);
  pending.fail(cancelled);
  expect(await pending.settled).toMatchObject({ elapsedMs: 7, sellers: [{ elapsedMs: 7 }] });
  expect(seen).toMatchObject({ mismatches: 0, released: 1 });
  expect(seen.callbacks).toHaveLength(1);
});

it('a leg that has settled is not posted', () => {
  const { pending } = registered({});
  pending.fail(cancelled);
  const transport = fakeSearchTransport();
  pending.post(transport, buildEnvelope(aLeg('mh'), 'vitamin', ids, 0));
  expect(transport.posts).toEqual([]);
});

it('a seller without an id as a string has none', () => {
  const { pending, seen } = registered(collecting);
  pending.deliver(onSearch({ bpp_id: 7, message_id: ['m-1'] }).text);
  pending.deliver(onSearch({ bpp_id: 'bpp.example', message_id: 'm-1' }).text);
  expect(seen.callbacks.map(({ sellerId, messageId }) => [sellerId, messageId])).toEqual([
    [null, null],
    ['bpp.example', 'm-1'],
  ]);
});

it('a leg that collects until the deadline schedules nothing', () => {
  const { pending, clock } = registered(collecting);
  pending.deliver(onSearch().text);
  expect(clock.scheduled).toBe(0);
});

it.each<[string, Partial<Leg>]>([
  ['first', { callbacks: 'first' }],
  ['default', {}],
])('a leg with the mode %s ends with the catalog of the acknowledgement, and is released', async (_, settings) => {
  const { respondWithCatalog, seen } = registered(settings);
  const callback = onSearch();
  expect(await respondWithCatalog(callback)).toMatchObject({ callback: { text: callback.text } });
  expect(seen).toMatchObject({ released: 1, callbacks: [] });
});

it('a leg ignores a catalog that its exchange has delivered or refused', async () => {
  for (const outcome of ['delivered', 'duplicate', 'late', 'full'] as const)
    expect(await registered({}, okAsync(outcome)).respondWithCatalog()).toBeUndefined();
});

it('a strict leg fails when the acknowledgement has the catalog of another message', async () => {
  const { respondWithCatalog } = registered({ strict: true }, okAsync('mismatched'));
  expect(await respondWithCatalog()).toMatchObject({
    error: { kind: 'bap_unreachable', detail: 'the network sent the catalog of another message' },
  });
});

it.each([
  ['does not know the search', okAsync('unknown' as const)],
  ['cannot be reached', errAsync(upstream('search', 'unreachable'))],
])('a leg that collects waits for more after a catalog when the exchange %s', async (_, offered) => {
  const { pending, respondWithCatalog, seen } = registered(collecting, offered);
  expect(await respondWithCatalog()).toBeUndefined();
  expect(seen).toMatchObject({ callbacks: [{ leg: pending.leg }], released: 0 });
});

it('a leg that collects ends with the catalog when the exchange has no memory left', async () => {
  const offered = errAsync({ kind: 'overloaded', retryAfterSeconds: 1 } as const);
  const { respondWithCatalog, seen } = registered(collecting, offered);
  expect(await respondWithCatalog()).toHaveProperty('callback');
  expect(seen.released).toBe(1);
});
