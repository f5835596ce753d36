import type { Credentials } from '@portico/core';
import { keptTokens, type Lifetime } from './kept-tokens.ts';
import type { TokenClient } from './token-client.ts';

export interface ClientCredentialsSettings {
  /** Scopes, separated by spaces. */
  readonly scope?: string | undefined;
  /** Sent as `audience`, which some identity providers require. */
  readonly audience?: string | undefined;
}

/** Renewed 30 seconds before it expires, or a short-lived token at half of its lifetime. */
const lifetime: Lifetime = (lifetimeMs) => ({
  usableMs: lifetimeMs,
  renewAfterMs: lifetimeMs - Math.min(30_000, lifetimeMs / 2),
});

/**
 * Portico's own token for one service (RFC 6749, section 4.4), the same for every member. It is renewed in the background
 * before it expires; until then the previous token is used, also while the identity provider is down.
 */
export const clientCredentials = (
  tokens: TokenClient,
  { scope, audience }: ClientCredentialsSettings = {},
): Credentials => {
  const kept = keptTokens(tokens.clock, lifetime);
  const request = () => tokens.request({ grant_type: 'client_credentials', scope, audience });
  return { identifiesMember: false, for: () => kept.get('', request) };
};
