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
   * Fails `unauthenticated` without a valid signature, `upstream` when the registry is unavailable.
   */
  verify(authorization: string | undefined, body: Uint8Array): ResultAsync<Signer, Failure>;
}
