import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json.ts';

/** What became of a callback: the first one in time is `delivered`; the others are only counted. */
export type CallbackFate = 'delivered' | 'duplicate' | 'late' | 'unknown';

/** A leg that waits for its callback. */
export interface Expectation {
  readonly transactionId: string;
  readonly legId: string;
  /** Called at most once, and never after `release`. */
  readonly deliver: (callback: Json) => void;
}

/** Brings a callback to the search that waits for it, wherever either of them landed. */
export interface CallbackExchange {
  /** Registers before anything is posted, because a callback may beat the acknowledgement. `ttlMs` bounds what is kept elsewhere. */
  expect(expectations: readonly Expectation[], ttlMs: number): ResultAsync<void, Failure>;
  /** Nobody waits any longer: what still comes is `late`. */
  release(transactionId: string): void;
  offer(transactionId: string, callback: Json): ResultAsync<CallbackFate, Failure>;
  /** The leg that waits under this id, if one does. */
  legOf(transactionId: string): ResultAsync<string | undefined, Failure>;
  /** What keeps callbacks from finding a search that waits elsewhere, in words that hold nothing private; if anything. */
  readonly trouble?: string | undefined;
  /** How many legs wait here. */
  readonly pending: number;
}
