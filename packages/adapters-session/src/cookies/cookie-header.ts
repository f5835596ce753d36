import type { IncomingMessage, ServerResponse } from 'node:http';
import onHeaders from 'on-headers';

/** The names of the cookies, and the attributes with which they are set. */
export interface CookieNames {
  readonly session: string;
  /** The beginning of the names of sign-in attempts. */
  readonly login: string;
  readonly attributes: string;
}

/**
 * With TLS, `__Host-` keeps other hosts of the domain from setting or shadowing a cookie (RFC 6265bis, section 4.1.3.2).
 * Browsers accept it only with `Secure`, so it cannot be used without TLS, on loopback.
 */
export const cookieNames = (isSecure: boolean): CookieNames => {
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const session = isSecure ? '__Host-portico' : 'portico-session';
  return { session, login: `${session}-login`, attributes };
};

/** A name and a value, in the order of the request. */
export type Cookie = readonly [name: string, value: string];

export const cookiesOf = ({ headers }: Pick<IncomingMessage, 'headers'>): readonly Cookie[] =>
  cookiePairs(headers.cookie)
    .filter((pair) => pair.includes('='))
    .map((pair): Cookie => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);

/**
 * Splits the `Cookie` header into its pairs. Removes only spaces and tabs: `trim` also removes U+00A0, with which another
 * host of the domain can set a cookie that looks like one of `__Host-`, but that browsers do not protect.
 */
export const cookiePairs = (header = ''): readonly string[] =>
  header.split(';').map((pair) => pair.replace(/^[ \t]+/, ''));

interface UnsentCookie {
  readonly cookie: string;
  readonly isWanted: () => boolean;
}

/** The cookies of responses whose header was not sent yet. */
const unsent = new WeakMap<ServerResponse, UnsentCookie[]>();

const always = () => true;

/**
 * Adds a cookie to the response, in the moment before the header is sent: frameworks remove or replace headers for an error, or
 * with cookies of their own. No cache may store a response with a cookie. A cookie that is not wanted at that moment is left out.
 */
export const setCookie = (response: ServerResponse, cookie: string, isWanted = always): void => {
  const cookies = unsent.get(response);
  if (cookies) return void cookies.push({ cookie, isWanted });
  const added = [{ cookie, isWanted }];
  unsent.set(response, added);
  onHeaders(response, () => {
    const wanted = added.filter((each) => each.isWanted());
    if (wanted.length === 0) return;
    const caching = response.getHeader('Cache-Control');
    if (!/\bno-store\b/.test(String(caching))) response.setHeader('Cache-Control', 'no-store');
    for (const each of wanted) response.appendHeader('Set-Cookie', each.cookie);
  });
};

export const clearCookie = (
  response: ServerResponse,
  names: CookieNames,
  name: string,
  isWanted?: () => boolean,
): void => setCookie(response, `${name}=${names.attributes}; Max-Age=0`, isWanted);
