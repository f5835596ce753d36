import type { Context } from 'koa';

/**
 * Responses are data, not pages: nothing in them may be run, framed, or taken for another type. The web app, and a PDF that
 * a browser shows, set their own policy. (Strict-Transport-Security belongs to the server that ends TLS: RFC 6797, 7.2.)
 */
export const securityHeaders = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
});

export const setSecurityHeaders = ({ res }: Context): void => {
  for (const [name, value] of securityHeaders) res.setHeader(name, value);
};
