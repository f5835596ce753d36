import type { Context, Middleware } from 'koa';
import { absoluteForm, headerProblem } from '../request/header-fields.ts';
import { closeConnection, dropRequest, isClosing, watchUntilItsTurn } from '../response/close-connection.ts';
import { preventCaching } from '../response/prevent-caching.ts';
import { sendProblem } from '../response/problem.ts';
import { errorBoundary } from './error-boundary.ts';
import { assignRequestId } from './request-id.ts';
import { setSecurityHeaders } from './security-headers.ts';

/** Marks a context. A property, because a WeakSet is slower, and a symbol, because the context is the app's. */
const entered = Symbol('responseDefaults');

type Marked = Context & { [entered]?: true };

/**
 * Adds to every response a request id and security headers, and problem details for exceptions. Idempotent: only the
 * outermost instance acts.
 */
export const responseDefaults: Middleware = (ctx: Marked, next) => {
  if (ctx[entered]) return next();
  ctx[entered] = true;
  watchUntilItsTurn(ctx);
  assignRequestId(ctx);
  if (isClosing(ctx)) return dropRequest(ctx);
  setSecurityHeaders(ctx);
  const detail = headerProblem(ctx.req) ?? (hasReadablePath(ctx) ? undefined : 'The request target is not valid.');
  if (detail === undefined) return errorBoundary(ctx, next);
  // The rest of the connection cannot be trusted.
  closeConnection(ctx);
  preventCaching(ctx);
  return sendProblem(ctx, { code: 'invalid-request', detail });
};

/** Koa throws if it cannot read a path from the request target (`//`). */
const hasReadablePath = (ctx: Context): boolean => {
  const { url = '' } = ctx.req;
  if (url === '*') return true;
  if (!url.startsWith('/') && !absoluteForm.test(url)) return false;
  try {
    const { path } = ctx.request;
    return typeof path === 'string' && path.startsWith('/');
  } catch {
    return false;
  }
};
