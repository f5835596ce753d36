import type { Http2ServerRequest } from 'node:http2';
import type { Context } from 'koa';

/**
 * Closes the connection when a pipelined response begins that was destroyed while it waited for its turn. Node does not: the
 * client would wait for the rest of the response until the connection times out.
 */
export const closeIfDestroyed = ({ res }: Context): void => {
  if (res.socket !== null) return;
  const { assignSocket } = res;
  res.assignSocket = (socket) => {
    assignSocket.call(res, socket);
    // After what was written. Otherwise, the client could lose the end of the response before.
    if (res.destroyed) socket.destroySoon();
  };
};

/**
 * Closes the connection after its response. HTTP/2 forbids the `Connection` field (RFC 9113, section 8.2.2): its session
 * ends after the requests in progress.
 */
export const closeConnection = (ctx: Context): void => {
  if (ctx.req.httpVersionMajor < 2) ctx.set('Connection', 'close');
  else (ctx.req as unknown as Http2ServerRequest).stream.session?.close();
};
