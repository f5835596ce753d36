import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../../shared/failure.ts';

/** The outcome of a callback. The first one in time is `delivered`; others are acknowledged and counted. */
export type CallbackFate = 'delivered' | 'duplicate' | 'late' | 'unknown';

/** `unverified`: the leg accepts only verified callbacks, and still waits. */
export type OfferOutcome = CallbackFate | 'unverified';

/** A leg that waits for its callback. */
export interface Expectation {
  readonly transactionId: string;
  readonly legId: string;
  /** Deliver only callbacks that are offered as verified. Default false. */
  readonly isVerifiedOnly?: boolean;
  /** Called with the callback's JSON, at most once, and never after `release`. */
  readonly deliver: (callback: string) => void;
}

/** Delivers callbacks to the legs that wait for them, possibly on another instance. */
export interface CallbackExchange {
  /** Registers legs. Call it before the post, because a callback may precede the ACK. `ttlMs` limits shared storage. */
  expect(expectations: readonly Expectation[], ttlMs: number): ResultAsync<void, Failure>;
  /** Unregisters a leg. Later callbacks for it are `late`. */
  release(transactionId: string): void;
  /**
   * Delivers `callback`, the JSON as received, to the leg with this transaction id. Checking `isVerified` and
   * delivering is one atomic step, so that a leg registered in between cannot be settled by an unverified callback.
   */
  offer(transactionId: string, callback: string, isVerified?: boolean): ResultAsync<OfferOutcome, Failure>;
  /** Why callbacks may not reach searches on other instances, without private data; undefined when they do. */
  readonly degradedReason?: string | undefined;
  /** The number of legs that wait on this instance. */
  readonly pending: number;
}
