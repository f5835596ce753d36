import type { Context } from 'koa';

/** The query parameters as the client wrote them, in order. */
export const listQuery = (ctx: Context): Iterable<readonly [string, string]> => new URLSearchParams(ctx.querystring);
