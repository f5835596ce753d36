import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { internal, sendProblem } from '../response/problem.ts';

/** Hexadecimal ids of 16 to 64 digits, with or without hyphens: what proxies and tracers send, and nothing private. */
const requestIdFormat = /^[0-9a-fA-F-]{16,64}$/;

const entered = new WeakSet<Context>();

/**
 * Answers are data, not pages: nothing in them may be run, framed, or taken for another type. What is a page, or a PDF that
 * a browser shows, sets its own policy. (Strict-Transport-Security is for whoever ends TLS: RFC 6797, section 7.2.)
 */
export const securityHeaders = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
});

/**
 * What every answer of ours has in common: security headers, an id (the caller's `X-Request-Id` when it looks like one, else a new UUID),
 * and problem details for an exception, which is our own bug: the app's `error` event gets it, the caller only learns
 * that it happened. An id that somebody else's app has given already is kept. Where it stands twice in a chain, the first
 * one does it.
 */
export const edge: Middleware = async (ctx, next) => {
  if (entered.has(ctx)) return next();
  entered.add(ctx);
  const given = ctx.req.headers['x-request-id'];
  ctx.state['requestId'] ??= typeof given === 'string' && requestIdFormat.test(given) ? given : randomUUID();
  ctx.res.setHeader('X-Request-Id', ctx.state['requestId'] as string);
  for (const [name, value] of securityHeaders) ctx.res.setHeader(name, value);
  try {
    if (hasReadablePath(ctx)) await next();
    else sendProblem(ctx, { code: 'invalid-request', detail: 'The request target is not valid.' });
  } catch (error) {
    ctx.app.emit('error', error, ctx);
    sendProblem(ctx, internal);
  }
};

/** A request target without a path that could be read (`//`, a broken authority) is nobody's; asking Koa for it throws. */
const hasReadablePath = (ctx: Context): boolean => {
  try {
    const { path } = ctx.request;
    return (typeof path === 'string' && path.startsWith('/')) || ctx.req.url === '*';
  } catch {
    return false;
  }
};
