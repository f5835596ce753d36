import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, request } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const certificates = new URL('../../../adapters-http/src/connection/', import.meta.url);

/** The path of a certificate with its key. The certificate of `server` is for service.test; `ca` signed the others. */
export const pemPath = (name: 'ca' | 'server' | 'client-1' | 'client-2'): string =>
  fileURLToPath(new URL(`${name}.test.pem`, certificates));

export const pemOf = (name: Parameters<typeof pemPath>[0]): string => readFileSync(pemPath(name), 'utf8');

/** The settings of a client certificate. */
export const clientFiles = (name: 'client-1' | 'client-2') => ({
  caFile: pemPath('ca'),
  certFile: pemPath(name),
  keyFile: pemPath(name),
});

const portOf = async (server: Server): Promise<number> => {
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

/** A service for service.test that demands a client certificate and responds with the path and the client's name. */
export const mutualTlsService = async () => {
  const pem = pemOf('server');
  const server = createServer(
    { key: pem, cert: pem, ca: pemOf('ca'), requestCert: true, rejectUnauthorized: true },
    ({ url, socket }, response) => {
      const client = (socket as TLSSocket).getPeerCertificate().subject.CN;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ url, client }));
    },
  );
  return { port: await portOf(server) };
};

/** A forward proxy that resolves every host name to 127.0.0.1. `received` has its request lines. */
export const forwardProxy = async () => {
  const received: string[] = [];
  const proxy = createHttpServer((incoming, response) => {
    received.push(`${incoming.method} ${incoming.url}`);
    const { port, pathname, search } = new URL(incoming.url ?? '');
    const { method, headers } = incoming;
    const outgoing = request({ port, host: '127.0.0.1', path: pathname + search, method, headers }, (relayed) =>
      relayed.pipe(response.writeHead(relayed.statusCode ?? 502, relayed.headers)),
    );
    incoming.pipe(outgoing.on('error', () => response.destroy()));
  });
  proxy.on('connect', ({ url }, client: Socket) => {
    received.push(`CONNECT ${url}`);
    const service = connect(Number(url?.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(service).pipe(client);
    });
    service.on('error', () => client.destroy()).on('close', () => client.destroy());
  });
  return { received, url: `http://127.0.0.1:${await portOf(proxy)}` };
};
