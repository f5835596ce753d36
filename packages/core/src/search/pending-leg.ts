import type { Cancel, Clock } from '../runtime/clock.port.ts';
import { CoreSignal } from '../runtime/signal.ts';
import { parsedOnRead } from '../shared/json/json.ts';
import {
  type CallbackContext,
  isMismatch,
  type Pairing,
  pairingOf,
  readContext,
} from './callbacks/callback-context.ts';
import type { CallbackExchange, CollectLimits, Expectation } from './callbacks/callback-exchange.port.ts';
import type { CallbackVerifier } from './callbacks/callback-verifier.port.ts';
import { type ReceivedCallback, verifySeller } from './callbacks/receive-callback.ts';
import type { Envelope } from './envelope.ts';
import { type CallbackMode, collectDefaults, type Leg, type LegFailure } from './leg.ts';
import { collected, type LegEnd, type LegOutcome, type SearchEvent, type SellerCallback } from './leg-outcome.ts';
import { contextFields } from './profiles/context-fields.ts';
import type { SearchTransport } from './transport/search-transport.port.ts';

/** What the legs of one search share. */
export interface SearchScope {
  readonly clock: Clock;
  readonly exchange: CallbackExchange;
  readonly verifier: CallbackVerifier | undefined;
  /** Whole milliseconds since the start of the search. */
  readonly elapsed: () => number;
  /** Called for each callback of a leg that collects, and for the end of each leg. */
  readonly onEvent: (event: SearchEvent) => void;
  /** Called for each callback with another `message_id`, `bap_id` or `domain` than the leg has sent. */
  readonly onMismatch: () => void;
  /** Resolves when every leg has settled. */
  readonly ended: () => Promise<unknown>;
}

/**
 * The state machine of the contract, sections 5 and 13: pending, then delivered or failed.
 * Thousands may be pending at once, so it keeps only what it needs.
 */
export class PendingLeg implements Expectation {
  readonly leg: Leg;
  readonly transactionId: string;
  readonly settled: Promise<LegOutcome>;
  readonly #scope: SearchScope;
  readonly #sent: Pairing;
  /** Undefined for a leg that its first callback ends. */
  readonly #collects: Exclude<CallbackMode, 'first'> | undefined;
  /** What the leg has collected. */
  readonly #sellers: SellerCallback[] = [];
  readonly #resolve: (outcome: LegOutcome) => void;
  #isPending = true;
  #posting: CoreSignal | undefined;
  #cancelQuiet: Cancel | undefined;

  constructor(leg: Leg, { context }: Envelope, scope: SearchScope) {
    this.leg = leg;
    const { transactionId, messageId, bapId, domain } = contextFields(context);
    // Every profile sends a transaction id: `createSearchUseCases` checks this.
    this.transactionId = transactionId as string;
    this.#sent = { messageId, bapId, domain };
    this.#scope = scope;
    this.#collects = leg.callbacks === 'first' ? undefined : leg.callbacks;
    const { promise, resolve } = Promise.withResolvers<LegOutcome>();
    this.settled = promise;
    this.#resolve = resolve;
  }

  get legId(): string {
    return this.leg.id;
  }

  get isVerifiedOnly(): boolean {
    return this.leg.verifyCallbacks === true;
  }

  get pairing(): string | undefined {
    return this.leg.strict ? pairingOf(this.#sent) : undefined;
  }

  get collects(): CollectLimits | undefined {
    const { maxCallbacks = collectDefaults.maxCallbacks, maxBytes = collectDefaults.maxBytes } = this.leg;
    return this.#collects && { maxCallbacks, maxBytes };
  }

  get ended(): Promise<unknown> {
    return this.#scope.ended();
  }

  deliver(callback: string, known?: CallbackContext): void {
    if (!this.#isPending) return;
    const context = known ?? readContext(callback).unwrapOr(undefined);
    if (context && isMismatch(context, this.#sent)) this.#scope.onMismatch();
    if (this.#collects) this.#collect(this.#collects, callback, context);
    else {
      const sellerError = context?.sellerError;
      this.#settle({ callback: parsedOnRead(callback), ...(sellerError && { sellerError }) });
    }
  }

  overflow(): void {
    this.#endOfCollection();
  }

  /** Ends the leg at the deadline. */
  expire(error: LegFailure): void {
    if (this.#sellers.length > 0) this.#endOfCollection();
    else this.fail(error);
  }

  fail(error: LegFailure): void {
    this.#end({ error, ...(this.#collects && { sellers: this.#sellers }) });
  }

  post(transport: SearchTransport, envelope: Envelope): void {
    if (!this.#isPending) return;
    this.#post(transport, envelope).catch(() =>
      this.#failToPost({ kind: 'bap_unreachable', detail: 'the post failed unexpectedly' }),
    );
  }

  async #post(transport: SearchTransport, envelope: Envelope): Promise<void> {
    this.#posting = new CoreSignal();
    const result = await transport.post(this.leg, envelope, this.#posting);
    if (result.isErr()) return this.#failToPost(result.error);
    if (result.value.outcome === 'ack') return undefined;
    const { callback } = result.value;
    const context = readContext(callback.text).unwrapOr(undefined);
    if (this.isVerifiedOnly && !(await this.#isSignedBySeller(callback, context)))
      return this.#failToPost(unreachable('the network sent a catalog without a valid signature'));
    // Offered to the exchange, so that either the catalog in the acknowledgement or a callback is first, not both.
    const { exchange } = this.#scope;
    const offered = await exchange.offer(this.transactionId, callback.text, { isVerified: true, context });
    if (offered.isOk() && offered.value === 'mismatched')
      return this.#failToPost(unreachable('the network sent the catalog of another message'));
    if (offered.isOk() && offered.value !== 'unknown') return undefined;
    this.deliver(callback.text, context);
    if (!this.#collects) return exchange.release(this.transactionId);
    // The exchange has no memory for the callback, and the network does not send it again: the leg ends now, not at its deadline.
    if (offered.isErr() && offered.error.kind === 'overloaded') this.#endOfCollection();
    return undefined;
  }

  /** Callbacks prove that the network received the search, even if it does not acknowledge it. */
  #failToPost(error: LegFailure): void {
    if (this.#sellers.length === 0) this.fail(error);
  }

  /** Also requires this transaction id, so that a signed callback of another search cannot be replayed. */
  async #isSignedBySeller(callback: ReceivedCallback, context: CallbackContext | undefined): Promise<boolean> {
    if (!context || context.transactionId !== this.transactionId) return false;
    return (await verifySeller(this.#scope.verifier, callback, context.sellerId)).isOk();
  }

  #collect(mode: Exclude<CallbackMode, 'first'>, callback: string, context: CallbackContext | undefined): void {
    const error = context?.sellerError;
    const seller = {
      leg: this.leg,
      sellerId: textOf(context?.sellerId),
      messageId: textOf(context?.messageId),
      elapsedMs: this.#scope.elapsed(),
      callback: parsedOnRead(callback),
      ...(error && { error }),
    };
    this.#sellers.push(seller);
    this.#scope.onEvent({ type: 'callback', callback: seller });
    if ('count' in mode) {
      if (this.#sellers.length >= mode.count) this.#endOfCollection();
    } else if ('quietMs' in mode) {
      this.#cancelQuiet?.();
      this.#cancelQuiet = this.#scope.clock.after(mode.quietMs, () => this.#endOfCollection());
    }
  }

  #endOfCollection(): void {
    if (this.#sellers.length === 0) this.fail(unreachable('every callback exceeds the limits of the leg'));
    else this.#end(collected(this.#sellers));
  }

  /** Ends a leg that is still registered. */
  #end(end: LegEnd): void {
    if (!this.#isPending) return;
    this.#settle(end);
    this.#scope.exchange.release(this.transactionId);
    // A seller that calls back while it handles the search has not acknowledged it yet.
    if ('error' in end) this.#posting?.abort();
  }

  #settle(end: LegEnd): void {
    const { leg, transactionId } = this;
    this.#cancelQuiet?.();
    this.#isPending = false;
    const outcome: LegOutcome = { leg, transactionId, elapsedMs: this.#scope.elapsed(), ...end };
    this.#resolve(outcome);
    this.#scope.onEvent({ type: 'leg', outcome });
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const unreachable = (detail: string): LegFailure => ({ kind: 'bap_unreachable', detail });
