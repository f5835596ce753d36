import type { Middleware } from 'koa';
import { MountError } from '../request/mount-error.ts';
import { internal, sendProblem } from '../response/problem.ts';

/** Converts an exception, which is always a bug, into a 500 without details, except for those of a `MountError`, and emits the app's `error` event. */
export const errorBoundary: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    ctx.app.emit('error', error, ctx);
    sendProblem(ctx, error instanceof MountError ? { code: 'internal', detail: error.message } : internal);
  }
};
