import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../../shared/failure.ts';

/** Whoever signed a callback, as the registry knows them. */
export interface Signer {
  readonly subscriberId: string;
}

/** Checks the signature of a callback (contract, section 5, "Signatures"). */
export interface CallbackVerifier {
  /**
   * @param authorization the header's value, undefined when there is none
   * @param body the very bytes that came
   *
   * Fails `unauthenticated` when there is no good signature, `upstream` when the registry cannot say.
   */
  verify(authorization: string | undefined, body: Uint8Array): ResultAsync<Signer, Failure>;
}
