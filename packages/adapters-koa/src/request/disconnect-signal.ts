import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { http2Stream } from './http2-stream.ts';

/** Whether a request or response is closed: completed, or interrupted because the client disconnected. */
export const isClosed = (message: IncomingMessage | ServerResponse): boolean =>
  http2Stream(message)?.destroyed ?? message.destroyed;

/** Whether a closed response was sent completely. `writableFinished` alone is also true of a cancelled HTTP/2 stream. */
export const isSent = (res: ServerResponse): boolean =>
  res.headersSent && res.writableEnded && res.writableFinished && !res.errored;

/** Returns a signal that aborts when the client disconnects before the response is sent completely. */
export const disconnectSignal = ({ res }: Context): AbortSignal => {
  const controller = new AbortController();
  if (isClosed(res)) controller.abort();
  else
    res.once('close', () => {
      if (!isSent(res)) controller.abort();
    });
  return controller.signal;
};
