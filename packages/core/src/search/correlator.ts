import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { SearchPorts } from '../ports.ts';
import { CoreSignal, type Signal } from '../runtime/signal.ts';
import type { Failure } from '../shared/failure.ts';
import { type Json, parsedOnRead } from '../shared/json.ts';
import type { CallbackExchange, Expectation } from './callbacks/callback-exchange.port.ts';
import type { CallbackVerifier } from './callbacks/callback-verifier.port.ts';
import { readContext, type ReceivedCallback, verifySeller } from './callbacks/receive-callback.ts';
import type { Envelope, EnvelopeIds } from './envelope.ts';
import type { Leg, LegFailure } from './leg.ts';
import type { SearchTransport } from './search-transport.port.ts';

/** The outcome of a leg. `callback` is the full `on_search` body as received; its `value` is parsed at each read. */
export type LegOutcome = {
  readonly leg: Leg;
  readonly transactionId: string;
  /** Whole milliseconds from the start of the search. */
  readonly elapsedMs: number;
} & ({ readonly callback: Json } | { readonly error: LegFailure });

/** A running search. Its legs settle one by one, in any order; `response` resolves when the last leg has settled. */
export interface RunningSearch {
  /** One promise per leg, in the order of the legs. They never reject. */
  readonly legs: readonly Promise<LegOutcome>[];
  readonly response: Promise<SearchResponse>;
}

export interface SearchResponse {
  readonly elapsedMs: number;
  readonly legs: readonly LegOutcome[];
}

/** Builds the envelope that one leg is sent. `now` is in milliseconds since the epoch. */
export type EnvelopeFor = (leg: Leg, ids: EnvelopeIds, now: number) => Envelope;

/**
 * Posts one search to every leg in parallel. Each leg settles exactly once, on the first of: its callback, a failed
 * post, the deadline, or the caller's signal. A settled leg is no longer registered.
 */
export const correlate = (
  { transport, exchange, verifier, clock, ids }: SearchPorts,
  legs: readonly Leg[],
  envelopeFor: EnvelopeFor,
  timeoutMs: number,
  signal?: Signal,
): ResultAsync<RunningSearch, Failure> => {
  const startedAt = clock.monotonic();
  const elapsed = () => Math.round(clock.monotonic() - startedAt);
  const pending = legs.map((leg) => new PendingLeg(leg, ids.uuid(), elapsed, exchange, verifier));
  const cancelAll = () => {
    for (const one of pending) one.fail({ kind: 'bap_unreachable', detail: 'the search was cancelled' });
  };
  const expireAll = () => {
    for (const one of pending) one.fail({ kind: 'timeout', detail: `no callback within ${timeoutMs} ms` });
  };

  const start = async (): Promise<Result<RunningSearch, Failure>> => {
    const registered = await exchange.expect(pending, timeoutMs);
    if (registered.isErr()) {
      cancelAll();
      return err(registered.error);
    }
    const leftMs = timeoutMs - (clock.monotonic() - startedAt);
    const cancelDeadline = clock.after(leftMs, expireAll);
    signal?.addEventListener('abort', cancelAll);
    if (signal?.aborted) cancelAll();
    if (leftMs <= 0) expireAll();
    for (const one of pending)
      one.post(
        transport,
        envelopeFor(one.leg, { transactionId: one.transactionId, messageId: ids.uuid() }, clock.now()),
      );
    const settled = pending.map((one) => one.settled);
    return ok({
      legs: settled,
      response: Promise.all(settled).then((outcomes) => {
        cancelDeadline();
        signal?.removeEventListener('abort', cancelAll);
        return { elapsedMs: elapsed(), legs: outcomes };
      }),
    });
  };
  return new ResultAsync(start());
};

/**
 * The state machine of `interfaces.md`, section 3: pending, then delivered or failed. Thousands may be pending at once,
 * so it keeps only what it needs.
 */
class PendingLeg implements Expectation {
  readonly leg: Leg;
  readonly transactionId: string;
  readonly settled: Promise<LegOutcome>;
  readonly #elapsed: () => number;
  readonly #exchange: CallbackExchange;
  readonly #verifier: CallbackVerifier | undefined;
  /** Undefined once the leg has settled. */
  #resolve: ((outcome: LegOutcome) => void) | undefined;
  #posting: CoreSignal | undefined;

  constructor(
    leg: Leg,
    transactionId: string,
    elapsed: () => number,
    exchange: CallbackExchange,
    verifier: CallbackVerifier | undefined,
  ) {
    this.leg = leg;
    this.transactionId = transactionId;
    this.#elapsed = elapsed;
    this.#exchange = exchange;
    this.#verifier = verifier;
    this.settled = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get legId(): string {
    return this.leg.id;
  }

  get isVerifiedOnly(): boolean {
    return this.leg.verifyCallbacks === true;
  }

  readonly deliver = (callback: string): void => this.#settle({ callback: parsedOnRead(callback) });

  fail(error: LegFailure): void {
    if (!this.#resolve) return;
    this.#settle({ error });
    this.#exchange.release(this.transactionId);
    this.#posting?.abort();
  }

  post(transport: SearchTransport, envelope: Envelope): void {
    if (!this.#resolve) return;
    this.#post(transport, envelope).catch(() =>
      this.fail({ kind: 'bap_unreachable', detail: 'the post failed unexpectedly' }),
    );
  }

  async #post(transport: SearchTransport, envelope: Envelope): Promise<void> {
    this.#posting = new CoreSignal();
    const result = await transport.post(this.leg, envelope, this.#posting);
    if (result.isErr()) return this.fail(result.error);
    if (result.value.outcome === 'ack') return undefined;
    const { callback } = result.value;
    if (this.isVerifiedOnly && !(await this.#isSignedBySeller(callback)))
      return this.fail({ kind: 'bap_unreachable', detail: 'the network sent a catalog without a valid signature' });
    // Offered to the exchange, so that either the catalog in the acknowledgement or a callback is first, not both.
    const offered = await this.#exchange.offer(this.transactionId, callback.text, true);
    if (offered.isOk() && offered.value !== 'unknown') return undefined;
    this.deliver(callback.text);
    return this.#exchange.release(this.transactionId);
  }

  /** Also requires this transaction id, so that a signed callback of another search cannot be replayed. */
  async #isSignedBySeller(callback: ReceivedCallback): Promise<boolean> {
    const context = readContext(callback.text);
    if (context.isErr() || context.value.transactionId !== this.transactionId) return false;
    return (await verifySeller(this.#verifier, callback, context.value.sellerId)).isOk();
  }

  #settle(result: { readonly callback: Json } | { readonly error: LegFailure }): void {
    const { leg, transactionId } = this;
    this.#resolve?.({ leg, transactionId, elapsedMs: this.#elapsed(), ...result });
    this.#resolve = undefined;
  }
}
