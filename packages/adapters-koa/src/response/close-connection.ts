import type { Http2ServerRequest } from 'node:http2';
import type { Context } from 'koa';

/**
 * Closes the connection when a pipelined response begins that was destroyed while it waited for its turn, and destroys it
 * when the client leaves before. Node does not, depending on its version: the client would wait for the rest of the response,
 * and the content would stay open.
 */
export const watchUntilItsTurn = ({ req, res }: Context): void => {
  if (res.socket !== null) return;
  const { socket: connection } = req;
  const { assignSocket } = res;
  // After Node, which does this itself from version 24.
  const leave = () =>
    setImmediate(() => {
      if (res.closed) return;
      res.destroy();
      res.emit('close');
    });
  // One listener for each waiting response.
  connection.setMaxListeners(0).once('close', leave);
  res.assignSocket = (socket) => {
    connection.off('close', leave);
    assignSocket.call(res, socket);
    // After what was written: otherwise, the client could lose the end of the response before.
    if (res.destroyed) socket.end(() => socket.destroy());
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
