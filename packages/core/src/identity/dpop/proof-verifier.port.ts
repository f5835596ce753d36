import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../../shared/failure.ts';

/** The algorithms of DPoP proofs. All are asymmetric, as RFC 9449, section 4.2, requires. */
export const proofAlgorithms = ['ES256', 'ES384', 'ES512', 'EdDSA', 'PS256', 'PS384', 'PS512', 'RS256'] as const;

/** A DPoP proof (RFC 9449, section 4), and the request that it came with. */
export interface DpopProof {
  /** The value of the header `DPoP`; empty if there was none, or more than one. */
  readonly proof: string;
  /** The method of the request, in upper case. */
  readonly method: string;
  /** The URL that the client requested, as clients know it. Its query is ignored. */
  readonly url: string;
}

/** A proof, and the token that it must belong to. */
export interface BoundProof extends DpopProof {
  readonly token: string;
  /** The SHA-256 thumbprint (RFC 7638) of the key that the token is bound to. */
  readonly thumbprint: string;
}

/** Verifies that the sender of a request has the private key of its token (RFC 9449). */
export interface ProofVerifier {
  /**
   * Checks a proof as in RFC 9449, section 4.3. Each proof is accepted once. Fails `unauthenticated` with the reason
   * `invalid-proof`, and `overloaded` when it cannot remember more proofs.
   */
  verify(proof: BoundProof): ResultAsync<void, Failure>;
}
