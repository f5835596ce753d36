import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';

/** Hexadecimal ids of 16 to 64 digits, with or without hyphens: what proxies and tracers send, and nothing private. */
const format = /^[0-9a-fA-F-]{16,64}$/;

/** The caller's `X-Request-Id` where it has the right format, else a new UUID. An id that a surrounding app has set is kept. */
export const assignRequestId = (ctx: Context): void => {
  const given = ctx.req.headers['x-request-id'];
  ctx.state['requestId'] ??= typeof given === 'string' && format.test(given) ? given : randomUUID();
  ctx.res.setHeader('X-Request-Id', ctx.state['requestId'] as string);
};
