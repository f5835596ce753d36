import type Koa from 'koa';
import type { Context } from 'koa';

/**
 * Called with every exception, which is always a bug, and with the error of an interrupted document. The message may contain
 * private data: redact it before logging.
 */
export type OnError = (error: unknown, requestId: string | undefined) => void;

/** Passes the app's errors to `onError`, except for those of connections. */
export const reportErrors = (app: Koa, onError: OnError | undefined): void => {
  // Koa emits an interrupted stream twice: for the stream and for the response.
  const reported = new WeakSet<Context>();
  app.on('error', (error: unknown, ctx?: Context) => {
    if (isConnectionError(error) || (ctx && reported.has(ctx))) return;
    if (ctx) reported.add(ctx);
    onError?.(error, ctx?.state['requestId'] as string | undefined);
  });
};

/** Whether a client or downstream disconnected, or the request was malformed (`HPE_…`, from the parser). These are not bugs. */
const isConnectionError = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  /^(?:ERR_STREAM_PREMATURE_CLOSE|ERR_DOWNSTREAM_BROKE_OFF|ECONNRESET|EPIPE|HPE_.+)$/.test(String(error.code));
