import type { IncomingMessage, ServerResponse } from 'node:http';

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

export const cookiesOf = (request: Pick<IncomingMessage, 'headers'>): readonly Cookie[] =>
  (request.headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.includes('='))
    .map((part): Cookie => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]);

/** Adds a cookie to the response. No cache may store a response with one. */
export const setCookie = (response: ServerResponse, cookie: string): void => {
  response.setHeader('Cache-Control', 'no-store');
  response.appendHeader('Set-Cookie', cookie);
};

export const clearCookie = (response: ServerResponse, names: CookieNames, name: string): void =>
  setCookie(response, `${name}=${names.attributes}; Max-Age=0`);
