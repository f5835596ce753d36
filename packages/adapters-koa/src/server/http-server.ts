import type { Server as Http1Server } from 'node:http';
import type { Http2SecureServer, Http2Server, Http2Session } from 'node:http2';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';

/** A server of Node that can serve the routes. */
export type HttpServer = Http1Server | HttpsServer | Http2Server | Http2SecureServer;

/** The connections of servers. Node cannot close those of HTTP/2, nor those that have not completed a TLS handshake. */
const tracked = new WeakMap<HttpServer, { readonly sockets: Set<Socket>; readonly sessions: Set<Http2Session> }>();

export const isHttp2 = (server: HttpServer): server is Http2Server | Http2SecureServer =>
  !('closeAllConnections' in server);

/** Keeps track of the connections of a server, for `closeSessions` and `closeAllConnections`. */
export const trackConnections = (server: HttpServer): void => {
  const sockets = new Set<Socket>();
  const sessions = new Set<Http2Session>();
  tracked.set(server, { sockets, sessions });
  const events = server as Http2Server;
  const trackSocket = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  events.on('connection', trackSocket);
  // `bytesRead` of a TLS socket does not count the handshake; that of the socket below it does.
  (server as Http2SecureServer).on('secureConnection', trackSocket);
  const track = (session: Http2Session | undefined) => {
    if (!session || sessions.has(session)) return;
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  };
  events.on('session', track);
  // A given server may have listened, and accepted connections, before.
  events.on('stream', ({ session }) => track(session));
};

/** True also for an HTTP/2 server that allows HTTP/1.1. */
const hasHttp1 = (server: HttpServer): server is Http1Server | HttpsServer => 'closeIdleConnections' in server;

/** The connections on which no byte has arrived, such as those that a browser opens in advance. */
const unusedConnections = (server: HttpServer): readonly Socket[] =>
  [...(tracked.get(server)?.sockets ?? [])].filter(({ bytesRead }) => bytesRead === 0);

/**
 * Closes the idle HTTP/1.1 connections, but only once every connection has received a byte: from version 26, Node also closes
 * those on which nothing has arrived.
 */
export const closeIdleConnections = (server: HttpServer): void => {
  if (hasHttp1(server) && unusedConnections(server).length === 0) server.closeIdleConnections();
};

export const closeUnusedConnections = (server: HttpServer): void => {
  for (const socket of unusedConnections(server)) socket.destroy();
};

/** Accepts no more connections. Resolves when all are closed. Closes none, as `close` does. */
export const stopListening = (server: HttpServer): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (hasHttp1(server)) {
    const { closeIdleConnections: closeIdle } = server;
    server.closeIdleConnections = () => {};
    server.close(() => resolve());
    server.closeIdleConnections = closeIdle;
  } else server.close(() => resolve());
  return promise;
};

/** Ends HTTP/2 sessions after their requests in progress (GOAWAY; RFC 9113, section 6.8). */
export const closeSessions = (server: HttpServer): void => {
  for (const session of tracked.get(server)?.sessions ?? []) session.close();
};

/** Closes every connection at once. */
export const closeAllConnections = (server: HttpServer): void => {
  if (!isHttp2(server)) server.closeAllConnections();
  const { sockets = [], sessions = [] } = tracked.get(server) ?? {};
  for (const connection of [...sockets, ...sessions]) connection.destroy();
};
