import { interruptedCode } from '@portico/core';
import type Koa from 'koa';
import type { Context } from 'koa';
import { isClosed } from '../request/disconnect-signal.ts';

/**
 * Called with every exception, which is always a bug, and with the error of an interrupted document. The message may contain
 * private data: redact it before logging.
 */
export type OnError = (error: unknown, requestId: string | undefined) => void;

/** Passes the app's errors to `onError`, except for those of connections that ended before the response was complete. */
export const reportErrors = (app: Koa, onError: OnError | undefined): void => {
  // Koa emits an interrupted stream twice: for the stream and for the response.
  const reported = new WeakSet<Context>();
  app.on('error', (error: unknown, ctx?: Context) => {
    // While the response can still be sent, the broken connection is another one: that of a database, for example.
    const isInterrupted = !ctx || ctx.headerSent || isClosed(ctx.res);
    if ((isInterrupted && isConnectionError(error)) || (ctx && reported.has(ctx))) return;
    if (ctx) reported.add(ctx);
    onError?.(error, ctx?.state['requestId'] as string | undefined);
  });
};

/** Whether a client or downstream disconnected, or the request was malformed (`HPE_…`, from the parser). These are not bugs. */
const isConnectionError = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  (error.code === interruptedCode || connectionCodes.test(String(error.code)));

const connectionCodes =
  /^(?:ERR_STREAM_PREMATURE_CLOSE|ERR_STREAM_WRITE_AFTER_END|ERR_HTTP2_.+|ECONNRESET|EPIPE|HPE_.+)$/;
