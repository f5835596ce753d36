import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../../shared/failure.ts';

/** The subscriber that signed a callback. */
export interface Signer {
  readonly subscriberId: string;
}

/** Verifies the signatures of callbacks (contract, section 5, "Signatures"). */
export interface CallbackVerifier {
  /**
   * Verifies a signature over `body`, the exact bytes received. `authorization` is the header, undefined when missing.
   * With `sellerId`, refuse any other signer before you look up its key. Fails `unauthenticated` without a valid signature,
   * `upstream` when the registry is unavailable, and `overloaded` during too many lookups.
   */
  verify(authorization: string | undefined, body: Uint8Array, sellerId?: string): ResultAsync<Signer, Failure>;
}
