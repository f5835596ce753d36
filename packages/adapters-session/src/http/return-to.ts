import { sessionPaths } from '../settings.ts';
import { isBelow } from './request.ts';

/** Characters that URL parsers drop or read as `/`. */
// oxlint-disable-next-line no-control-regex -- these are the characters
const forbidden = /[\u0000-\u001f\u007f\\]/;

/** The same, and `/`, as percent-encodings that a proxy or router may decode in a path. */
const forbiddenEncoded = /%(?:[01][0-9a-f]|7f|2f|5c)/i;

/** The path has to fit into a cookie. */
const maxLength = 2048;

/**
 * Returns the path, with query and fragment, to which a member returns after sign-in; undefined if it is not a path of this
 * origin, or one of the session itself. The returned path begins with exactly one slash.
 */
export const readReturnTo = (text: string): string | undefined => {
  if (!text.startsWith('/') || text.length > maxLength || forbidden.test(text)) return undefined;
  const base = 'https://portico.invalid';
  const url = URL.parse(text, base);
  if (!url || url.origin !== base || url.username || url.password) return undefined;
  const { pathname, search, hash } = url;
  if (pathname.startsWith('//') || forbiddenEncoded.test(pathname)) return undefined;
  if (isBelow(pathname.toLowerCase(), [sessionPaths.status])) return undefined;
  const path = pathname + search + hash;
  return path.length > maxLength ? undefined : path;
};
