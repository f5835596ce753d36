import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../../shared/failure.ts';
import type { CallbackContext } from './callback-context.ts';

/**
 * The outcome of a callback. If the leg does not collect, its first callback in time is `delivered`. If it collects,
 * every callback is `delivered`, except one with the same text as an earlier callback, which is a `duplicate`. Others
 * are acknowledged and counted.
 */
export type CallbackFate = 'delivered' | 'duplicate' | 'late' | 'unknown';

/**
 * Why a callback was not delivered to the leg that waits for it. `unverified`: the leg accepts only verified callbacks.
 * `mismatched`: the leg is strict, and the callback belongs to another message. `full`: the leg has as much as it may
 * collect.
 */
export type OfferOutcome = CallbackFate | 'unverified' | 'mismatched' | 'full';

/** How much a leg collects at most. `maxBytes` counts bytes of UTF-8. */
export interface CollectLimits {
  readonly maxCallbacks: number;
  readonly maxBytes: number;
}

/** A leg that waits for its callbacks. Call `deliver` and `overflow` on this object: they use `this`. */
export interface Expectation {
  readonly transactionId: string;
  readonly legId: string;
  /** Deliver only callbacks that are offered as verified. Default false. */
  readonly isVerifiedOnly?: boolean;
  /** Deliver only callbacks with this `pairingOf` their context. Default: any. */
  readonly pairing?: string | undefined;
  /** Deliver every callback within these limits, until the leg is released. Default: deliver the first one only. */
  readonly collects?: CollectLimits | undefined;
  /** Resolves when the search has ended, which keeps the delivered callbacks until then. Must not reject. */
  readonly ended?: Promise<unknown>;
  /**
   * Called with the callback's JSON, never after `release`. Pass `context` if it is known, so that the leg does not parse
   * the callback again.
   */
  deliver(callback: string, context?: CallbackContext): void;
  /** Called when a callback is `full`, after those before it were delivered. */
  overflow?(): void;
}

/** Metadata of a callback. */
export interface OfferDetails {
  /** Whether its signature is the seller's. Default false. */
  readonly isVerified?: boolean;
  readonly context?: CallbackContext | undefined;
}

/** Delivers callbacks to the legs that wait for them, possibly on another instance. */
export interface CallbackExchange {
  /** Registers legs. Call it before the post, because a callback may precede the ACK. `ttlMs` limits shared storage. */
  expect(expectations: readonly Expectation[], ttlMs: number): ResultAsync<void, Failure>;
  /** Unregisters a leg. Later callbacks for it are `late`. */
  release(transactionId: string): void;
  /**
   * Delivers `callback`, the JSON as received, to the leg with this transaction id. Checking the callback and
   * delivering it is one atomic step, so that a leg registered in between cannot be settled by an unverified callback.
   * Fails `overloaded` when it cannot be kept now; the seller may send it again.
   */
  offer(transactionId: string, callback: string, details?: OfferDetails): ResultAsync<OfferOutcome, Failure>;
  /** Why callbacks may not reach searches on other instances, without private data; undefined when they do. */
  readonly degradedReason?: string | undefined;
  /** The number of legs that wait on this instance, from the call of `expect` on. */
  readonly pending: number;
}
