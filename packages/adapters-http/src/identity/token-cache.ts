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

/** Number of tokens that are remembered after their first use, in 32 KiB. */
const seenSlots = 8192;

/** A 32-bit hash of the last 12 characters of a token, which are evenly distributed. */
const fingerprintOf = (token: string): number => {
  let fingerprint = 0;
  for (let at = Math.max(0, token.length - 12); at < token.length; at++)
    fingerprint = (Math.imul(fingerprint, 31) + token.charCodeAt(at)) | 0;
  return fingerprint;
};

/**
 * Caches verified tokens from their second use, keyed by the whole token. An entry is valid for at most `ttlMs`, until the
 * token expires, and only while the keys that verified it are in use. Evicts the least recently used tokens.
 *
 * Tokens that are used once would fill the cache with garbage that is expensive to collect, and evict tokens in use. On
 * first use, only a four-byte fingerprint is stored.
 */
export const verifiedTokens = (clock: Clock, ttlMs: number) => {
  const verified = boundedMap<Verified>(maxCharacters, (token) => token.length);
  const seen = new Int32Array(seenSlots);
  const isFirstUse = (token: string): boolean => {
    const fingerprint = fingerprintOf(token);
    const slot = fingerprint & (seenSlots - 1);
    if (seen[slot] === fingerprint) return false;
    // At random, because tokens that share a slot and are used in turn would otherwise replace each other for ever.
    if (seen[slot] === 0 || Math.random() < 0.5) seen[slot] = fingerprint;
    return true;
  };
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
    add: (token: string, keysVersion: number, claims: TokenClaims, expSeconds: number): void => {
      if (isFirstUse(token)) return;
      verified.set(token, {
        claims: Object.freeze(claims),
        expiresAtMs: expSeconds * 1000,
        cachedUntilMs: clock.monotonic() + ttlMs,
        keysVersion,
      });
    },
  };
};
