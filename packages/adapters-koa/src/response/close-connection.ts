import type { Http2ServerRequest } from 'node:http2';
import type { Context } from 'koa';

/**
 * If a pipelined response is destroyed before its turn, closes the connection when its turn comes. If the client
 * disconnects before the turn, destroys the response. Some versions of Node do neither: the client would wait for the
 * rest of the response, and the content would stay open.
 */
export const watchUntilItsTurn = ({ req, res }: Context): void => {
  if (res.socket !== null) return;
  const { socket: connection } = req;
  const { assignSocket } = res;
  // After Node, which does this itself from version 24.
  const destroyWaiting = () =>
    setImmediate(() => {
      if (res.closed) return;
      res.destroy();
      res.emit('close');
    });
  // One listener for each waiting response.
  connection.setMaxListeners(0).once('close', destroyWaiting);
  res.assignSocket = (socket) => {
    connection.off('close', destroyWaiting);
    assignSocket.call(res, socket);
    // After what was written: otherwise, the client could lose the end of the previous response.
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
