import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { SearchPorts } from '../ports.ts';
import { createSignal, type Signal } from '../runtime/signal.ts';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json.ts';
import type { CallbackExchange } from './callback-exchange.port.ts';
import { buildEnvelope } from './envelope.ts';
import type { Leg, LegFailure } from './leg.ts';
import type { SearchTransport } from './search-transport.port.ts';

/** How a leg ended. `callback` is the full `on_search` body, as received. */
export type LegOutcome = {
  readonly leg: Leg;
  readonly transactionId: string;
  /** Whole milliseconds from the start of the search. */
  readonly elapsedMs: number;
} & ({ readonly callback: Json } | { readonly error: LegFailure });

/** A search under way: its legs settle one by one, in any order, and the answer is there when the last one has. */
export interface RunningSearch {
  /** In the order of the legs. None of them rejects. */
  readonly legs: readonly Promise<LegOutcome>[];
  readonly answer: Promise<SearchAnswer>;
}

export interface SearchAnswer {
  readonly elapsedMs: number;
  readonly legs: readonly LegOutcome[];
}

/**
 * Puts one query to every leg in parallel. Each leg settles exactly once, by whichever comes first: its callback, a
 * failed post, the deadline, or the caller's signal. However it ends, nothing stays registered.
 */
export const correlate = (
  { transport, exchange, clock, ids }: SearchPorts,
  legs: readonly Leg[],
  query: string,
  timeoutMs: number,
  signal?: Signal,
): ResultAsync<RunningSearch, Failure> => {
  const startedAt = clock.monotonic();
  const elapsed = () => Math.round(clock.monotonic() - startedAt);
  const pending = legs.map((leg) => pendingLeg(leg, ids.uuid(), elapsed, exchange));
  const abandon = () => {
    for (const one of pending) one.fail({ kind: 'bap_unreachable', detail: 'the search was given up' });
  };
  const expire = () => {
    for (const one of pending) one.fail({ kind: 'timeout', detail: `no callback within ${timeoutMs} ms` });
  };

  const start = async (): Promise<Result<RunningSearch, Failure>> => {
    const registered = await exchange.expect(
      pending.map(({ expectation }) => expectation),
      timeoutMs,
    );
    if (registered.isErr()) {
      abandon();
      return err(registered.error);
    }
    const leftMs = timeoutMs - (clock.monotonic() - startedAt);
    const cancelDeadline = clock.after(leftMs, expire);
    signal?.addEventListener('abort', abandon);
    if (signal?.aborted) abandon();
    if (leftMs <= 0) expire();
    for (const one of pending)
      one.post(transport, buildEnvelope(one.leg, query, { ...one, messageId: ids.uuid() }, clock.now()));
    const settled = pending.map((one) => one.settled);
    return ok({
      legs: settled,
      answer: Promise.all(settled).then((outcomes) => {
        cancelDeadline();
        signal?.removeEventListener('abort', abandon);
        return { elapsedMs: elapsed(), legs: outcomes };
      }),
    });
  };
  return new ResultAsync(start());
};

/** The state machine of `interfaces.md`, section 3: pending, then delivered or failed, for good. */
const pendingLeg = (leg: Leg, transactionId: string, elapsed: () => number, exchange: CallbackExchange) => {
  const { promise: settled, resolve } = Promise.withResolvers<LegOutcome>();
  const posting = createSignal();
  let isPending = true;
  const settle = (result: { readonly callback: Json } | { readonly error: LegFailure }) => {
    if (!isPending) return;
    isPending = false;
    resolve({ leg, transactionId, elapsedMs: elapsed(), ...result });
  };
  const fail = (error: LegFailure) => {
    if (!isPending) return;
    settle({ error });
    exchange.release(transactionId);
    posting.abort();
  };
  return {
    leg,
    transactionId,
    settled,
    expectation: { transactionId, legId: leg.id, deliver: (callback: Json) => settle({ callback }) },
    fail,
    post: (transport: SearchTransport, envelope: ReturnType<typeof buildEnvelope>): void => {
      if (!isPending) return;
      const posted = async () => {
        const result = await transport.post(leg, envelope, posting.signal);
        if (result.isErr()) return fail(result.error);
        if (result.value.outcome === 'ack') return;
        const { callback } = result.value;
        // By the exchange, so that a catalog in the acknowledgement and a callback cannot both win.
        const offered = await exchange.offer(transactionId, callback);
        if (offered.isOk() && offered.value !== 'unknown') return;
        settle({ callback });
        exchange.release(transactionId);
      };
      posted().catch(() => fail({ kind: 'bap_unreachable', detail: 'the post failed unexpectedly' }));
    },
  };
};
