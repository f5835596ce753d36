import type { Middleware } from 'koa';
import { internal, sendProblem } from '../response/problem.ts';

/** Turns an exception, which is always a bug, into a 500: the app's `error` event gets it, the client learns only that it happened. */
export const errorBoundary: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    ctx.app.emit('error', error, ctx);
    sendProblem(ctx, internal);
  }
};
