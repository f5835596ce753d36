import type { Context } from 'koa';

/** Forbids caching of a response that may depend on the member (RFC 9111, section 5.2.2). */
export const preventCaching = (ctx: Context): void => {
  // Another middleware of the app may have responded in the meantime.
  if (ctx.headerSent) return;
  ctx.res.setHeader('Cache-Control', 'private, no-store');
  if (ctx.res.hasHeader('Vary')) ctx.vary('Authorization');
  else ctx.res.setHeader('Vary', 'Authorization');
};
