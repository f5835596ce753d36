import type { Clock, TokenClaims } from '@portico/core';
import { boundedMap } from '../http/bounded-map.ts';

/** Limit for all cached tokens together. With its claims, a token takes about four bytes per character. */
const maxCharacters = 16 * 1024 * 1024;

interface Verified {
  readonly claims: TokenClaims;
  readonly expiresAtMs: number;
  /** In monotonic time. */
  readonly cachedUntilMs: number;
  readonly keysVersion: number;
}

/**
 * Caches verified tokens, keyed by the whole token. An entry is valid for at most `ttlMs`, until the token expires, and
 * only while the keys that verified it are in use. Evicts the least recently used tokens.
 */
export const verifiedTokens = (clock: Clock, ttlMs: number) => {
  const verified = boundedMap<Verified>(maxCharacters, (token) => token.length);
  return {
    get: (token: string, keysVersion: number): TokenClaims | undefined => {
      const found = verified.get(token);
      if (!found) return undefined;
      const { claims, expiresAtMs, cachedUntilMs } = found;
      if (found.keysVersion === keysVersion && clock.monotonic() < cachedUntilMs && clock.now() < expiresAtMs)
        return claims;
      verified.delete(token);
      return undefined;
    },
    add: (token: string, keysVersion: number, claims: TokenClaims, expSeconds: number): void =>
      verified.set(token, {
        claims: Object.freeze(claims),
        expiresAtMs: expSeconds * 1000,
        cachedUntilMs: clock.monotonic() + ttlMs,
        keysVersion,
      }),
  };
};
