import type { Context } from 'koa';

/** Aborts when the connection closes, or has closed; once everything was sent, nobody listens any more. */
export const clientGone = ({ res }: Context): AbortSignal => {
  const controller = new AbortController();
  if (res.destroyed) controller.abort();
  else res.once('close', () => controller.abort());
  return controller.signal;
};
