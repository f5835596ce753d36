import { isSecureUrl, secureUrlRule } from '../defaults.ts';

/** Parses a URL that is https, or http on loopback. Throws a TypeError that names it by `what` only. */
export const secureUrl = (text: string, what: string): URL => {
  const url = URL.parse(text);
  if (!isSecureUrl(url)) throw new TypeError(`sessions: ${what} ${secureUrlRule}`);
  return url;
};
