import type { Context, Middleware } from 'koa';
import { sendProblem } from '../response/problem.ts';
import { errorBoundary } from './error-boundary.ts';
import { assignRequestId } from './request-id.ts';
import { setSecurityHeaders } from './security-headers.ts';

const entered = new WeakSet<Context>();

/** What every response has: a request id, security headers, and problem details for an exception. Idempotent: the outermost one acts. */
export const responseDefaults: Middleware = (ctx, next) => {
  if (entered.has(ctx)) return next();
  entered.add(ctx);
  assignRequestId(ctx);
  setSecurityHeaders(ctx);
  if (hasReadablePath(ctx)) return errorBoundary(ctx, next);
  return sendProblem(ctx, { code: 'invalid-request', detail: 'The request target is not valid.' });
};

/** Koa throws for a request target without a readable path (`//`, a broken authority). */
const hasReadablePath = (ctx: Context): boolean => {
  try {
    const { path } = ctx.request;
    return (typeof path === 'string' && path.startsWith('/')) || ctx.req.url === '*';
  } catch {
    return false;
  }
};
