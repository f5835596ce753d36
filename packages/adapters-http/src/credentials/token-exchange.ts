import { hash } from 'node:crypto';
import { type Credentials, refusedToken } from '@portico/core';
import { keptTokens, type Lifetime } from './kept-tokens.ts';
import type { TokenClient } from './token-client.ts';

/** What the token is requested for (RFC 8693, section 2.1). */
export interface TokenExchangeSettings {
  /** The name of the service at the identity provider. */
  readonly audience?: string | undefined;
  /** The URI of the service. */
  readonly resource?: string | undefined;
  /** Scopes, separated by spaces. */
  readonly scope?: string | undefined;
}

const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

/** Kept until 30 seconds before it expires (contract, section 9). */
const lifetime: Lifetime = (lifetimeMs) => ({ usableMs: lifetimeMs - 30_000, renewAfterMs: Infinity });

/**
 * Exchanges the member's token for a token of one service (RFC 8693). The issued token is kept for this member token.
 * Fails `unauthenticated` when the identity provider refuses the member's token (`invalid_grant`).
 */
export const tokenExchange = (
  tokens: TokenClient,
  { audience, resource, scope }: TokenExchangeSettings = {},
): Credentials => {
  const kept = keptTokens(tokens.clock, lifetime);
  return {
    identifiesMember: true,
    for: ({ token }) =>
      // The digest is the key, so that the member's token is not kept beyond the call.
      kept.get(hash('sha256', token, 'base64'), () =>
        tokens.request(
          {
            grant_type: grantType,
            subject_token: token,
            subject_token_type: accessTokenType,
            audience,
            resource,
            scope,
          },
          refusedToken('exchange'),
        ),
      ),
  };
};
