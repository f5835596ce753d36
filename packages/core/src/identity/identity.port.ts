import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';

/** The claims set of a verified token (RFC 7519, section 4), as the identity provider wrote it. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** How a token is asked for: resource owner password or client credentials (RFC 6749, sections 4.3 and 4.4). */
export type TokenRequest = {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly scope?: string;
} & (
  | { readonly grant: 'password'; readonly username: string; readonly password: string }
  | { readonly grant: 'client_credentials' }
);

export interface AccessToken {
  readonly token: string;
  /** As the provider says, which need not. */
  readonly expiresInSeconds?: number;
}

/** The identity provider: it issues tokens and vouches for them. */
export interface Identity {
  /**
   * Verifies an access token: signature, algorithm, issuer, audience and lifetime (contract, section 1).
   * Fails `unauthenticated` when the token is not good, `upstream` when there are no keys to tell.
   */
  verify(token: string): ResultAsync<TokenClaims, Failure>;
  /**
   * Asks the token endpoint for an access token (RFC 6749, section 5). Fails `unauthenticated` when it refuses the
   * credentials or the client, `invalid` when it takes no such request (grant type, scope), else `upstream`.
   */
  requestToken(request: TokenRequest): ResultAsync<AccessToken, Failure>;
  /** Makes sure that there is what `verify` needs, so that no member waits for it; fetches it only where it is missing. */
  warm(): ResultAsync<void, Failure>;
}
