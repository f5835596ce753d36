import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingHttpHeaders, request, type RequestListener } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';

export const pemFile = (name: 'ca' | 'server' | 'client-1' | 'client-2'): string =>
  readFileSync(new URL(`${name}.test.pem`, import.meta.url), 'utf8');

export const ca = pemFile('ca');

/** The client certificate with this common name, and its key: Node finds each in the same text. */
export const clientTls = (name: 'client-1' | 'client-2') => ({ ca, cert: pemFile(name), key: pemFile(name) });

const listening = async (server: Server): Promise<number> => {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => {}).once('close', () => open.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

/**
 * A service with the certificate of service.test that demands a client certificate. `clients` has their names. It sends
 * each response once `held` resolves.
 */
export const mutualTlsService = async (options: ServerOptions = {}, held = Promise.resolve()) => {
  const clients: string[] = [];
  const received: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
  const pem = pemFile('server');
  const server = createServer(
    { key: pem, cert: pem, ca, requestCert: true, rejectUnauthorized: true, ...options },
    ({ url, headers }, response) => {
      received.push({ url, headers });
      void held.then(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    },
  );
  server.on('secureConnection', (socket: TLSSocket) => clients.push(String(socket.getPeerCertificate().subject?.CN)));
  return { clients, received, port: await listening(server) };
};

/** A plain http service. */
export const plainService = async () => {
  const received: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createHttpServer(({ url, headers }, response) => {
    received.push({ url, headers });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  return { received, port: await listening(server) };
};

/**
 * A forward proxy that resolves every host name to 127.0.0.1, so that a request to `service.test` arrives only through
 * it. `refuse` is the status of every response instead. With `tls`, the connection to the proxy itself is over TLS.
 */
export const forwardProxy = async (refuse?: number, tls?: ServerOptions) => {
  const received: { readonly method: string; readonly target: string; readonly authorization: string | undefined }[] =
    [];
  const record = (method = '', target = '', headers: IncomingHttpHeaders) =>
    received.push({ method, target, authorization: headers['proxy-authorization'] });
  const relay: RequestListener = (incoming, response) => {
    record(incoming.method, incoming.url, incoming.headers);
    if (refuse) return response.writeHead(refuse).end();
    const { port, pathname, search } = new URL(incoming.url ?? '');
    const { method, headers } = incoming;
    const outgoing = request({ port, host: '127.0.0.1', path: pathname + search, method, headers }, (relayed) =>
      relayed.pipe(response.writeHead(relayed.statusCode ?? 502, relayed.headers)),
    );
    return incoming.pipe(outgoing.on('error', () => response.destroy()));
  };
  const proxy = tls ? createServer(tls, relay) : createHttpServer(relay);
  proxy.on('connect', ({ method, url, headers }, client: Socket) => {
    record(method, url, headers);
    if (refuse) return client.end(`HTTP/1.1 ${refuse} Refused\r\ncontent-length: 0\r\n\r\n`);
    const service = connect(Number(url?.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(service).pipe(client);
    });
    return service.on('error', () => client.destroy()).on('close', () => client.destroy());
  });
  const port = await listening(proxy);
  return { received, url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, port };
};
