import type { Clock, TokenClaims } from '@portico/core';
import { boundedMap } from '../http/bounded-map.ts';

/** Of so many characters in all: with what is read from them, tokens take about four times as many bytes. */
const maxCharacters = 16 * 1024 * 1024;

interface Verified {
  readonly claims: TokenClaims;
  readonly expiresAtMs: number;
  /** On the clock's monotonic scale. */
  readonly keptUntilMs: number;
  readonly keysVersion: number;
}

/**
 * Tokens that were verified lately, by their whole text. One is good again until it expires, for `keepMs` at most, and
 * only while the very keys serve that it was verified with. Those not seen for longest give way to new ones.
 */
export const verifiedTokens = (clock: Clock, keepMs: number) => {
  const verified = boundedMap<Verified>(maxCharacters, (token) => token.length);
  return {
    get: (token: string, keysVersion: number): TokenClaims | undefined => {
      const found = verified.get(token);
      if (!found) return undefined;
      const { claims, expiresAtMs, keptUntilMs } = found;
      if (found.keysVersion === keysVersion && clock.monotonic() < keptUntilMs && clock.now() < expiresAtMs)
        return claims;
      verified.delete(token);
      return undefined;
    },
    add: (token: string, keysVersion: number, claims: TokenClaims, expSeconds: number): void =>
      verified.set(token, {
        claims: Object.freeze(claims),
        expiresAtMs: expSeconds * 1000,
        keptUntilMs: clock.monotonic() + keepMs,
        keysVersion,
      }),
  };
};
