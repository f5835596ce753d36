import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';

/** The ids that proxies and tracers send: 16 to 64 hexadecimal digits or hyphens. Other values could contain private data. */
export const requestIdFormat = /^[0-9a-fA-F-]{16,64}$/;

/** Uses the client's `X-Request-Id` if it has the right format, otherwise a new UUID. Keeps an id that an outer app has set. */
export const assignRequestId = (ctx: Context): void => {
  const received = ctx.req.headers['x-request-id'];
  ctx.state['requestId'] ??= typeof received === 'string' && requestIdFormat.test(received) ? received : randomUUID();
  ctx.res.setHeader('X-Request-Id', ctx.state['requestId'] as string);
};
