import type { Context } from 'koa';

/** Returns a signal that aborts when the client disconnects before the response is sent completely. */
export const disconnectSignal = ({ res }: Context): AbortSignal => {
  const controller = new AbortController();
  if (res.destroyed) controller.abort();
  else
    res.once('close', () => {
      if (!res.writableFinished) controller.abort();
    });
  return controller.signal;
};
