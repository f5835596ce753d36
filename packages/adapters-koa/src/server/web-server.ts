import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';

/** The certificate of a server, followed by its intermediates, and its key, in PEM. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
}

/**
 * Creates an HTTP server, or with `tls` an HTTPS server (TLS 1.2 or newer). `tls` is called for each connection and must be
 * fast; when it returns another object, new connections use that one. A pair that cannot be used is passed to `onTlsError`,
 * and the previous one stays in use; the first one makes this throw.
 */
export const webServer = (
  { headersTimeoutMs, ...options }: ServerOptions & { readonly headersTimeoutMs: number },
  tls: (() => ServerTls) | undefined,
  onTlsError: (error: unknown) => void = () => {},
): Server => {
  if (!tls) return createServer(options);
  let used = tls();
  const server = createSecureServer({ ...options, ...contextOf(used), handshakeTimeout: headersTimeoutMs });
  // Before Node's own listener, which starts the handshake.
  server.prependListener('connection', () => {
    try {
      const current = tls();
      if (current === used) return;
      used = current;
      server.setSecureContext(contextOf(used));
    } catch (error) {
      onTlsError(error);
    }
  });
  return server;
};

const contextOf = ({ cert, key }: ServerTls) => ({ cert, key, minVersion: 'TLSv1.2' as const });
