import { constants } from 'node:http2';
import type { Socket } from 'node:net';
import type { Context } from 'koa';
import { http2Stream } from '../request/http2-stream.ts';

/**
 * If a pipelined response is destroyed before its turn, closes the connection when its turn comes. If the client
 * disconnects before the turn, destroys the response. Some versions of Node do neither: the client would wait for the
 * rest of the response, and the content would stay open.
 */
export const watchUntilItsTurn = (ctx: Context): void => {
  if (!isWaiting(ctx)) return;
  const { req, res } = ctx;
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

/** Marks a connection that closes after a response. A property, because a WeakSet is slower. */
const closing = Symbol('closing');

type Connection = Socket & { [closing]?: true };

/**
 * Closes the connection after its response. HTTP/2 forbids the `Connection` field (RFC 9113, section 8.2.2): its session
 * ends after the requests in progress.
 */
export const closeConnection = (ctx: Context): void => {
  const stream = http2Stream(ctx.req);
  if (stream) stream.session?.close();
  else {
    ctx.set('Connection', 'close');
    (ctx.req.socket as Connection)[closing] = true;
  }
};

/** Does not wait, after the response, for the rest of the request's body: closes the connection, or the stream of HTTP/2. */
export const stopReceiving = (ctx: Context): void => {
  if (ctx.req.complete) return;
  const stream = http2Stream(ctx.req);
  // Without an error, as RFC 9113, section 8.1, permits. Later, because a client of Node may not read on after it.
  if (stream) stream.once('finish', () => setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR)));
  else closeConnection(ctx);
};

/** Whether a response to an earlier request closes the connection. */
export const isClosing = ({ req }: Context): boolean =>
  !http2Stream(req) && (req.socket as Connection)[closing] === true;

/** Whether a pipelined response waits for an earlier one. */
export const isWaiting = ({ res }: Context): boolean => res.socket === null;

/** Does not respond: a request after the one whose response closes the connection must not be processed (RFC 9112, section 9.6). */
export const dropRequest = (ctx: Context): void => {
  ctx.respond = false;
  if (isWaiting(ctx)) ctx.res.destroy();
  else ctx.req.socket.destroySoon();
};
