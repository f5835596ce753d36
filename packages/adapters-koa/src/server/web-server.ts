import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';

/** The certificate of a server, followed by its intermediates, and its key, in PEM. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
}

/**
 * Creates an HTTP server, or with `tls` an HTTPS server (TLS 1.2 or newer). `tls` is called for each connection and must be
 * fast; when it returns another object, new connections use that one.
 */
export const webServer = (options: ServerOptions, tls: (() => ServerTls) | undefined): Server => {
  if (!tls) return createServer(options);
  let used = tls();
  const handshakeTimeout = options.headersTimeout ?? 0;
  const server = createSecureServer({ ...options, ...contextOf(used), handshakeTimeout });
  const sockets = new Set<Socket>();
  // Before Node's own listener, which starts the handshake.
  server.prependListener('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    const current = tls();
    if (current === used) return;
    used = current;
    server.setSecureContext(contextOf(used));
  });
  const closeAllConnections = server.closeAllConnections.bind(server);
  // Node closes only those whose handshake is complete; `close` waits for the others too.
  return Object.assign(server, {
    closeAllConnections: () => {
      closeAllConnections();
      for (const socket of sockets) socket.destroy();
    },
  });
};

const contextOf = ({ cert, key }: ServerTls) => ({ cert, key, minVersion: 'TLSv1.2' as const });
