import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';

/** The claims set of a verified token (RFC 7519, section 4), as the identity provider wrote it. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** The identity provider, as far as it vouches for tokens. */
export interface Identity {
  /**
   * Verifies an access token: signature, algorithm, issuer, audience and lifetime (contract, section 1).
   * Fails `unauthenticated` when the token is not good, `upstream` when there are no keys to tell.
   */
  verify(token: string): ResultAsync<TokenClaims, Failure>;
  /** Fetches ahead what `verify` needs, so that the first member does not wait for it. */
  warm(): ResultAsync<void, Failure>;
}
