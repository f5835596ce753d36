import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../../shared/failure.ts';

/** What became of a callback: the first one in time is `delivered`; the others are only counted. */
export type CallbackFate = 'delivered' | 'duplicate' | 'late' | 'unknown';

/** `unverified`: the leg takes verified callbacks only, this one was not offered as verified, and the leg still waits. */
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

/** Brings a callback to the search that waits for it, on whichever instance each of them is. */
export interface CallbackExchange {
  /** Registers before anything is posted, because a callback may beat the acknowledgement. `ttlMs` bounds what is kept elsewhere. */
  expect(expectations: readonly Expectation[], ttlMs: number): ResultAsync<void, Failure>;
  /** The leg waits no longer: callbacks that still arrive are `late`. */
  release(transactionId: string): void;
  /**
   * Delivers `callback`, the JSON as received, to the leg that waits under this id. The check of `isVerified` and the
   * delivery are one step, so that a leg registered in between cannot be settled by an unverified callback.
   */
  offer(transactionId: string, callback: string, isVerified?: boolean): ResultAsync<OfferOutcome, Failure>;
  /** Why callbacks may not find a search that waits on another instance, without private data; undefined when they do. */
  readonly degradedReason?: string | undefined;
  /** How many legs wait here. */
  readonly pending: number;
}
