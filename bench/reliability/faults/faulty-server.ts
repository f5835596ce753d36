import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';

type Respond = (request: IncomingMessage, response: ServerResponse, usual: RequestListener) => void;

const json = { 'Content-Type': 'application/json' };
const internalDetail = '{"error":"internal-upstream-detail"}';
/** More than Portico is configured to accept. */
const largeJson = Buffer.from(`{"padding":"${'x'.repeat(1024 * 1024)}"}`);
const slowMs = 400;

const responses = {
  refused: ({ socket }) => socket.destroy(),
  reset: ({ socket }) => socket.resetAndDestroy(),
  'status 500': (_, response) => response.writeHead(500, json).end(internalDetail),
  'status 401': (_, response) => response.writeHead(401, json).end(internalDetail),
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
} satisfies Readonly<Record<string, Respond>>;

export type Fault = keyof typeof responses;

export const faultNames = Object.keys(responses) as readonly Fault[];

/**
 * Serves `usual` on this port of 127.0.0.1. The function injects a fault, or clears it with null, and resolves when the
 * change is effective for new requests.
 */
export const startFaultyServer = async (usual: RequestListener, port: number) => {
  let fault: Fault | null = null;
  const server = createServer((request, response) => {
    if (fault === null) return usual(request, response);
    if (fault !== 'slow') request.resume();
    const respond: Respond = responses[fault];
    return respond(request, response, usual);
  });
  // An idle connection that closes just as a request arrives would look like a fault.
  server.keepAliveTimeout = 0;
  const listen = () => once(server.listen(port, '127.0.0.1'), 'listening');
  await listen();
  return async (next: Fault | null): Promise<void> => {
    fault = next;
    if (fault === 'refused') {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    } else if (!server.listening) await listen();
  };
};
