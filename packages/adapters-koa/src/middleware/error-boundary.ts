import type { Middleware } from 'koa';
import { MountError } from '../request/mount-error.ts';
import { internal, sendProblem } from '../response/problem.ts';

/**
 * Responds with 500 to an exception, which is always a bug, and emits the app's `error` event. The response has no details,
 * except the message of a `MountError`.
 */
export const errorBoundary: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    ctx.app.emit('error', error, ctx);
    sendProblem(ctx, error instanceof MountError ? { code: 'internal', detail: error.message } : internal);
  }
};
