import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { SearchPorts } from '../ports.ts';
import { OwnSignal, type Signal } from '../runtime/signal.ts';
import type { Failure } from '../shared/failure.ts';
import { type Json, parsedOnRead } from '../shared/json.ts';
import type { CallbackExchange, Expectation } from './callbacks/callback-exchange.port.ts';
import type { CallbackVerifier } from './callbacks/callback-verifier.port.ts';
import { readContext, type ReceivedCallback, verifySeller } from './callbacks/receive-callback.ts';
import { buildEnvelope, type Envelope } from './envelope.ts';
import type { Leg, LegFailure } from './leg.ts';
import type { SearchTransport } from './search-transport.port.ts';

/** How a leg ended. `callback` is the full `on_search` body, as received; its `value` is parsed at each read. */
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
  { transport, exchange, verifier, clock, ids }: SearchPorts,
  legs: readonly Leg[],
  query: string,
  timeoutMs: number,
  signal?: Signal,
): ResultAsync<RunningSearch, Failure> => {
  const startedAt = clock.monotonic();
  const elapsed = () => Math.round(clock.monotonic() - startedAt);
  const pending = legs.map((leg) => new PendingLeg(leg, ids.uuid(), elapsed, exchange, verifier));
  const abandon = () => {
    for (const one of pending) one.fail({ kind: 'bap_unreachable', detail: 'the search was given up' });
  };
  const expire = () => {
    for (const one of pending) one.fail({ kind: 'timeout', detail: `no callback within ${timeoutMs} ms` });
  };

  const start = async (): Promise<Result<RunningSearch, Failure>> => {
    const registered = await exchange.expect(pending, timeoutMs);
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
      one.post(
        transport,
        buildEnvelope(one.leg, query, { transactionId: one.transactionId, messageId: ids.uuid() }, clock.now()),
      );
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

/**
 * The state machine of `interfaces.md`, section 3: pending, then delivered or failed, for good. Many thousands may wait, so
 * it keeps no more than it needs while it waits.
 */
class PendingLeg implements Expectation {
  readonly leg: Leg;
  readonly transactionId: string;
  readonly settled: Promise<LegOutcome>;
  readonly #elapsed: () => number;
  readonly #exchange: CallbackExchange;
  readonly #verifier: CallbackVerifier | undefined;
  /** Gone once it has settled. */
  #resolve: ((outcome: LegOutcome) => void) | undefined;
  #posting: OwnSignal | undefined;

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
    this.#posting = new OwnSignal();
    const result = await transport.post(this.leg, envelope, this.#posting);
    if (result.isErr()) return this.fail(result.error);
    if (result.value.outcome === 'ack') return undefined;
    const { callback } = result.value;
    if (this.isVerifiedOnly && !(await this.#isSignedBySeller(callback)))
      return this.fail({ kind: 'bap_unreachable', detail: 'the network sent a catalog without a valid signature' });
    // Through the exchange, so that a catalog in the acknowledgement and a callback cannot both win.
    const offered = await this.#exchange.offer(this.transactionId, callback.text, true);
    if (offered.isOk() && offered.value !== 'unknown') return undefined;
    this.deliver(callback.text);
    return this.#exchange.release(this.transactionId);
  }

  /** A signed callback of another search must not be replayed here, so it has to name this transaction. */
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
