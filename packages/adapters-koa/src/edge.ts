import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { internal, sendProblem } from './problem.ts';

/** Hexadecimal ids of 16 to 64 digits, with or without hyphens: what proxies and tracers send, and nothing private. */
const requestIdFormat = /^[0-9a-fA-F-]{16,64}$/;

/**
 * What every answer of ours has in common: an id (the caller's `X-Request-Id` when it looks like one, else a new UUID),
 * and problem details for an exception, which is our own bug: the app's `error` event gets it, the caller only learns
 * that it happened. Where it stands twice in a chain, the first one does it.
 */
export const edge: Middleware = async (ctx, next) => {
  if (ctx.state['requestId'] !== undefined) return next();
  const given = ctx.req.headers['x-request-id'];
  const id = typeof given === 'string' && requestIdFormat.test(given) ? given : randomUUID();
  ctx.state['requestId'] = id;
  ctx.res.setHeader('X-Request-Id', id);
  ctx.res.setHeader('X-Content-Type-Options', 'nosniff');
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
