import type { Context } from 'koa';

/**
 * Responses are data, not pages: they must not be executed, framed or sniffed. The web app and PDFs set their own policy.
 * Strict-Transport-Security belongs to the server that terminates TLS (RFC 6797, section 7.2).
 */
export const securityHeaders = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
});

export const setSecurityHeaders = ({ res }: Context): void => {
  for (const [name, value] of securityHeaders) res.setHeader(name, value);
};
