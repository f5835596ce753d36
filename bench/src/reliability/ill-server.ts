import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Fault } from './fault.ts';
import { listenSteadily } from './steady-port.ts';

/** A server that can be ill in every way of `fault.ts`. */
export interface IllServer {
  readonly port: number;
  /** Null makes it well. Resolves when it is so for new requests. */
  turn(fault: Fault | null): Promise<void>;
}

type Answer = (request: IncomingMessage, response: ServerResponse, usual: RequestListener) => void;

const json = { 'Content-Type': 'application/json' };
const internalText = '{"error":"internal-upstream-detail"}';
/** More than Portico is set to take. */
const largeJson = Buffer.from(`{"padding":"${'x'.repeat(1024 * 1024)}"}`);
const slowMs = 400;

const answers: Readonly<Record<Exclude<Fault, 'refused'>, Answer>> = {
  reset: ({ socket }) => socket.resetAndDestroy(),
  'status 500': (_, response) => response.writeHead(500, json).end(internalText),
  'status 401': (_, response) => response.writeHead(401, json).end(internalText),
  slow: (request, response, usual) => setTimeout(() => usual(request, response), slowMs),
  silent: () => {},
  'bad JSON': (_, response) => response.writeHead(200, json).end('{"status": "ok", <<<'),
  HTML: (_, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><h1>Sign in</h1>'),
  truncated: ({ headers, socket }, response) => {
    response.writeHead(200, { 'Content-Type': headers.accept ?? '', 'Content-Length': 2000 });
    response.write('{"part":"'.padEnd(1000), () => socket.destroySoon());
  },
  redirect: (_, response) => response.writeHead(302, { Location: 'http://127.0.0.1:9/elsewhere' }).end(),
  'too large': (_, response) => response.writeHead(200, { ...json, 'Transfer-Encoding': 'chunked' }).end(largeJson),
};

export const illServer = async (usual: RequestListener, wantedPort: number): Promise<IllServer> => {
  let fault: Fault | null = null;
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    request.on('error', () => {});
    if (fault === null) return usual(request, response);
    if (fault !== 'slow') request.resume();
    return fault === 'refused' ? request.socket.destroy() : answers[fault](request, response, usual);
  });
  // A connection that ended by itself just when a request came would look like a fault.
  server.keepAliveTimeout = 0;
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => socket.destroy()));
    socket.once('close', () => sockets.delete(socket));
  });
  const port = await listenSteadily(server, wantedPort);
  return {
    port,
    turn: async (next) => {
      fault = next;
      if (fault === 'refused') {
        const closed = once(server, 'close');
        server.close();
        for (const socket of sockets) socket.destroy();
        await closed;
      } else if (!server.listening) await listenSteadily(server, port);
    },
  };
};
