import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import { connect as connectTcp } from 'node:net';
import tlsDefaults, { connect, type TLSSocket } from 'node:tls';
import type { IncomingMessage } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { drain } from './draining.ts';
import { listening } from './portal.test.support.ts';
import { createServer, type ServerSettings } from './server.ts';
import type { ServerTls } from './web-server.ts';

const pem = (name: 'ca' | 'server' | 'client-1'): string =>
  readFileSync(new URL(`../../../adapters-http/src/connection/${name}.test.pem`, import.meta.url), 'utf8');

const certificate = (name: 'server' | 'client-1'): ServerTls => ({ cert: pem(name), key: pem(name) });

const secureServer = async (settings: ServerSettings & Required<Pick<ServerSettings, 'tls'>>) => {
  const server = createServer({}, settings);
  return { server, port: await listening(server) };
};

const trusted = { ca: pem('ca'), servername: 'service.test' };

/** Requests a probe on a connection of this agent. Returns the status and the name in the server's certificate. */
const probe = async (port: number, options: object) => {
  const sent = httpsRequest({ host: '127.0.0.1', port, path: '/livez', ...options }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { CN } = (response.socket as TLSSocket).getPeerCertificate().subject;
  await once(response.resume(), 'end');
  return [response.statusCode, CN];
};

it('a server with TLS serves HTTPS with a certificate that clients verify', async () => {
  const tls = certificate('server');
  const { port } = await secureServer({ tls: () => tls });
  expect(await probe(port, trusted)).toEqual([200, 'service.test']);
});

it('a server with TLS does not accept TLS 1.1, even when the defaults of Node permit it', async () => {
  const ciphers = 'DEFAULT:@SECLEVEL=0';
  const defaults = [tlsDefaults.DEFAULT_MIN_VERSION, tlsDefaults.DEFAULT_CIPHERS] as const;
  [tlsDefaults.DEFAULT_MIN_VERSION, tlsDefaults.DEFAULT_CIPHERS] = ['TLSv1', ciphers];
  const tls = certificate('server');
  const { port } = await secureServer({ tls: () => tls });
  [tlsDefaults.DEFAULT_MIN_VERSION, tlsDefaults.DEFAULT_CIPHERS] = defaults;
  const old = { ...trusted, ciphers, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' };
  await expect(probe(port, old)).rejects.toThrow();
});

it('a server with TLS uses a changed certificate for new connections, and keeps the open ones', async () => {
  let tls = certificate('server');
  const { port } = await secureServer({ tls: () => tls });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  expect(await probe(port, { ...trusted, agent })).toEqual([200, 'service.test']);
  tls = certificate('client-1');
  expect(await probe(port, { rejectUnauthorized: false, agent: false })).toEqual([200, 'client-1']);
  expect(await probe(port, { ...trusted, agent })).toEqual([200, 'service.test']);
});

it('a server with TLS keeps its certificate, and reports the error once, when a key does not match', async () => {
  let tls = certificate('server');
  const errors: unknown[] = [];
  const { port } = await secureServer({ tls: () => tls, onError: (error) => errors.push(error) });
  tls = { ...tls, key: pem('client-1') };
  for (let count = 0; count < 2; count++)
    expect(await probe(port, { ...trusted, agent: false })).toEqual([200, 'service.test']);
  expect(errors).toMatchObject([{ code: 'ERR_OSSL_X509_KEY_VALUES_MISMATCH' }]);
  tls = certificate('client-1');
  expect(await probe(port, { rejectUnauthorized: false, agent: false })).toEqual([200, 'client-1']);
});

it('a server with TLS closes a connection whose first bytes are not TLS, without a response and a report', async () => {
  const tls = certificate('server');
  const reports: unknown[] = [];
  const { port } = await secureServer({ tls: () => tls, onResponse: (report) => reports.push(report) });
  const socket = connectTcp(port, '127.0.0.1').end('GET /livez HTTP/1.1\r\nHost: portal\r\n\r\n');
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  socket.on('error', () => {});
  await once(socket, 'close');
  expect(received).not.toContain('HTTP/1.1');
  expect(reports).toEqual([]);
});

it('a server with TLS closes a connection without a handshake after the timeout for headers', async () => {
  const tls = certificate('server');
  const { port } = await secureServer({ tls: () => tls, connections: { headersTimeoutMs: 20 } });
  const socket = connectTcp(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'close');
  expect(socket.bytesRead).toBe(0);
});

it('a server with TLS responds to a malformed request with problem details', async () => {
  const tls = certificate('server');
  const { port } = await secureServer({ tls: () => tls });
  const socket = connect({ host: '127.0.0.1', port, ...trusted }).setEncoding('utf8');
  socket.end('nonsense\r\n\r\n');
  const chunks = await socket.toArray();
  expect(chunks.join('')).toContain('application/problem+json');
});

it('a server with TLS drains although a client never completes its handshake', async () => {
  const tls = certificate('server');
  const hour = 3_600_000;
  const connections = { headersTimeoutMs: hour, requestTimeoutMs: hour };
  const { server, port } = await secureServer({ tls: () => tls, connections });
  const connected = once(server, 'connection');
  const socket = connectTcp(port, '127.0.0.1');
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  await connected;
  await Promise.all([drain(server, 1), closed]);
  expect(server.listening).toBe(false);
});
