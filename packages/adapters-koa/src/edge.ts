import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import compose from 'koa-compose';
import { internal, sendProblem } from './problem.ts';

/** Hexadecimal ids of 16 to 64 digits, with or without hyphens: what proxies and tracers send, and nothing private. */
const requestIdFormat = /^[0-9a-fA-F-]{16,64}$/;

/** Gives the request an id: the caller's `X-Request-Id` when it looks like one, else a new UUID. */
const requestId: Middleware = (ctx, next) => {
  const given = ctx.get('X-Request-Id');
  ctx.state['requestId'] ??= requestIdFormat.test(given) ? given : randomUUID();
  ctx.set('X-Request-Id', ctx.state['requestId'] as string);
  ctx.set('X-Content-Type-Options', 'nosniff');
  return next();
};

/** An exception is our own bug: the app's `error` event gets it, the caller only learns that it happened. */
const lastResort: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    ctx.app.emit('error', error, ctx);
    sendProblem(ctx, internal);
  }
};

/** A request target without a path that could be read (`//`, a broken authority) is nobody's; asking Koa for it throws. */
const readablePath: Middleware = (ctx, next) => {
  const isReadable = () => {
    try {
      return typeof ctx.path === 'string' && ctx.path.startsWith('/');
    } catch {
      return false;
    }
  };
  if (isReadable() || ctx.req.url === '*') return next();
  return sendProblem(ctx, { code: 'invalid-request', detail: 'The request target is not valid.' });
};

/** What every answer of ours has in common. Harmless when it stands twice in a chain. */
export const edge: Middleware = compose([requestId, lastResort, readablePath]);
