import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../../shared/failure.ts';

/** What was sent for one leg of a search. */
export interface SentSearch {
  readonly legId: string;
  /** The base64 signature of the request; undefined when it was not signed. */
  readonly signature?: string | undefined;
}

/**
 * Remembers what was sent, because a callback is verified with it: its leg may have its own registry, and in Beckn 2.0 it
 * signs the signature of the request. With several instances, a callback may arrive at another one than the search.
 */
export interface SentSearches {
  /** Call it before the post, because a callback may precede the ACK. Must not reject. */
  remember(transactionId: string, sent: SentSearch): Promise<void>;
  /** Returns undefined for an unknown or forgotten search. Fails `upstream` when that cannot be found out now. */
  find(transactionId: string): ResultAsync<SentSearch | undefined, Failure>;
  /** Why searches of other instances cannot be found now, without private data; undefined if they can. */
  readonly degradedReason?: string | undefined;
}
