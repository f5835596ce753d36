import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';

/** The supported token signature algorithms. All are asymmetric (RFC 7518, section 3.1; RFC 8037). */
export const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

/** The claims set of a verified token (RFC 7519, section 4), as issued by the identity provider. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** A token request: resource owner password or client credentials grant (RFC 6749, sections 4.3 and 4.4). */
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
  /** The lifetime as reported by the provider, if it reports one. */
  readonly expiresInSeconds?: number;
}

/** The identity provider: issues access tokens and verifies them. */
export interface Identity {
  /**
   * Verifies an access token: signature, algorithm, issuer, audience and lifetime (contract, section 1).
   * Fails `unauthenticated` when the token is invalid, preferably with the `refusal`, and `upstream` when no keys are
   * available.
   */
  verify(token: string): ResultAsync<TokenClaims, Failure>;
  /**
   * Requests an access token from the token endpoint (RFC 6749, section 5). Fails `unauthenticated` when it rejects the
   * credentials or the client, `invalid` when it does not support the grant type or scope, else `upstream`.
   */
  requestToken(request: TokenRequest): ResultAsync<AccessToken, Failure>;
  /** Fetches the keys that `verify` needs, unless they are already cached, so that no request has to wait for them. */
  warm(): ResultAsync<void, Failure>;
}
