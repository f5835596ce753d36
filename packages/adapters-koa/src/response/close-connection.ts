import type { Http2ServerRequest } from 'node:http2';
import type { Context } from 'koa';

/**
 * Closes the connection after its response. HTTP/2 forbids the `Connection` field (RFC 9113, section 8.2.2): its session
 * ends after the requests in progress.
 */
export const closeConnection = (ctx: Context): void => {
  if (ctx.req.httpVersionMajor < 2) ctx.set('Connection', 'close');
  else (ctx.req as unknown as Http2ServerRequest).stream.session?.close();
};
