import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../../shared/failure.ts';

/** Signs with the private key of one Beckn subscriber, for example with a key management service that holds it. */
export interface SearchSigner {
  /**
   * Returns the Ed25519 signature of exactly these bytes, 64 bytes (RFC 8032, section 5.1.6). A failure, or no signature
   * within the time for an acknowledgement, fails the leg `bap_unreachable` (contract, section 5).
   */
  sign(bytes: Uint8Array): ResultAsync<Uint8Array, Failure>;
}
