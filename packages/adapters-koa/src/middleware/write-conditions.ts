import { invalid } from '@portico/core';
import type { Middleware } from 'koa';
import { sendFailure } from '../response/problem.ts';

/**
 * Refuses a write with `If-None-Match`, which no service gets: executed without the condition, it could overwrite what the
 * client wanted to keep (RFC 9110, section 13.1.2).
 */
export const writeConditions: Middleware = (ctx, next) =>
  'if-none-match' in ctx.headers ? sendFailure(ctx, ifNoneMatch) : next();

const ifNoneMatch = invalid('The If-None-Match header is not supported here.', {
  path: '/If-None-Match',
  message: 'must be absent from a write; use If-Match',
});
