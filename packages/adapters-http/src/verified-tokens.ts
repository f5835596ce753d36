import type { Clock, TokenClaims } from '@portico/core';
import { boundedMap } from './bounded-map.ts';

/** Of so many characters in all: with what is read from them, tokens take about four times as many bytes. */
const maxCharacters = 16 * 1024 * 1024;

/** How many tokens are remembered by a mark, to see which of them come again. */
const marks = 8192;

interface Verified {
  readonly claims: TokenClaims;
  readonly expiresAtMs: number;
  /** On the clock's monotonic scale. */
  readonly keptUntilMs: number;
  readonly keysVersion: number;
}

/**
 * Tokens that were verified lately, by their whole text, once they have come a second time: of those that come once,
 * keeping each costs more than it saves. One is good again until it expires, for `keepMs` at most, and only while the very
 * keys serve that it was verified with. Those not seen for longest give way to new ones.
 */
export const verifiedTokens = (clock: Clock, keepMs: number) => {
  const verified = boundedMap<Verified>(maxCharacters, (token) => token.length);
  const seen = new Int32Array(marks);
  /** Another token with the same mark is kept one time too early, which does no harm. */
  const comesAgain = (token: string): boolean => {
    const mark = markOf(token);
    const place = mark & (marks - 1);
    if (seen[place] === mark) return true;
    seen[place] = mark;
    return false;
  };
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
    add: (token: string, keysVersion: number, claims: TokenClaims, expSeconds: number): void => {
      if (!comesAgain(token)) return;
      verified.set(token, {
        claims: Object.freeze(claims),
        expiresAtMs: expSeconds * 1000,
        keptUntilMs: clock.monotonic() + keepMs,
        keysVersion,
      });
    },
  };
};

/** From the end of the signature, which is as good as random. The last character has few bits. */
const markOf = (token: string): number => {
  let mark = 1;
  for (let at = Math.max(0, token.length - 11); at < token.length - 1; at++)
    mark = (Math.imul(mark, 31) + token.charCodeAt(at)) | 0;
  return mark;
};
