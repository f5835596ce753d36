import type { Context } from 'koa';

/** Aborts when the connection closes, or has closed, before everything was sent. */
export const clientGone = ({ res }: Context): AbortSignal => {
  const controller = new AbortController();
  if (res.destroyed) controller.abort();
  else
    res.once('close', () => {
      if (!res.writableFinished) controller.abort();
    });
  return controller.signal;
};
