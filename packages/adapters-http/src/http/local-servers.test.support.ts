import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createSecureContext, setDefaultCACertificates, TLSSocket } from 'node:tls';
import type { Failure } from '@portico/core';
import type { ResultAsync } from 'neverthrow';
import { onTestFinished } from 'vitest';

/** The tests run once over plain HTTP and once, where TLS could make a difference, over HTTPS: see vitest.config.ts. */
export type Scheme = 'http' | 'https';
const scheme: Scheme = process.env['TEST_SCHEME'] === 'https' ? 'https' : 'http';

const pem = readFileSync(new URL('loopback-certificate.test.pem', import.meta.url), 'utf8');
/** Key and certificate of the local servers. Every TLS client of the process trusts it, the global `fetch` included. */
export const loopbackTls = { key: pem, cert: pem.slice(pem.indexOf('-----BEGIN CERTIFICATE')) };
setDefaultCACertificates([loopbackTls.cert]);
const secureContext = createSecureContext(loopbackTls);

/** The server's side of TLS on a connection; a reset still resets the connection beneath. */
const overTls = (socket: Socket): Socket => {
  const secured = new TLSSocket(socket, { isServer: true, secureContext });
  // Beneath TLS a socket does not always report its own end.
  secured.on('error', () => {}).once('close', () => void socket.destroy().emit('close'));
  return Object.assign(secured, { resetAndDestroy: () => socket.resetAndDestroy() });
};

const createWebServer = (listener: RequestListener, over: Scheme = scheme): Server => {
  const web = createHttpServer(listener);
  return over === 'https' ? createTcpServer((socket) => web.emit('connection', overTls(socket))) : web;
};

/** A request as a local server heard it. */
export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** A web server on loopback that lives as long as the test. `nth` counts requests from 1. */
export const httpServer = async (
  answer: (response: ServerResponse, heard: Heard, nth: number) => void,
  over: Scheme = scheme,
) => {
  const requests: Heard[] = [];
  const { url, watch, changed } = await start(
    createWebServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url: path = '', headers } = request;
        const heard = { method, path, headers, body: Buffer.concat(chunks).toString() };
        requests.push(heard);
        answer(response, heard, requests.length);
        changed();
      });
    }, over),
    over,
  );
  return Object.assign(watch, { url, requests });
};

/** A server that answers with whatever bytes it likes, once a request has come. `nth` counts connections from 1. */
export const tcpServer = async (answer: (socket: Socket, nth: number) => void) => {
  const requests: string[] = [];
  const sockets: Socket[] = [];
  const server = await socketServer((socket) => {
    sockets.push(socket);
    socket.once('data', (head) => {
      requests.push(head.toString());
      answer(socket, requests.length);
      server.changed();
    });
  });
  return Object.assign(server, { requests, sockets });
};

/** A server of raw connections, within TLS where the tests run over it. */
export const socketServer = async (onConnection: (socket: Socket) => void) => {
  const { url, watch, changed } = await start(
    createTcpServer((connection) => onConnection(scheme === 'https' ? overTls(connection) : connection)),
  );
  return Object.assign(watch, { url, changed });
};

/** An address where nobody listens, and a way to change that. */
export const closedPort = async () => {
  const server = createTcpServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    open: async (answer: (response: ServerResponse) => void) => {
      const late = createWebServer((_, response) => answer(response));
      onTestFinished(() => void late.close());
      await once(late.listen(port, '127.0.0.1'), 'listening');
    },
  };
};

const start = async (server: Server, over: Scheme = scheme) => {
  const open = new Set<Socket>();
  const waiting = new Set<() => void>();
  const changed = () => {
    for (const look of waiting) look();
  };
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      open.delete(socket);
      changed();
    });
    changed();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const watch = {
    get connections() {
      return connections;
    },
    get open() {
      return open.size;
    },
    /** Waits, without a clock, for something that a connection, a request or the end of one makes true. */
    until: (condition: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = () => {
          if (!condition()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
  return { url: `${over}://127.0.0.1:${(server.address() as AddressInfo).port}`, watch, changed };
};

/** The platform's `fetch`, telling when it is asked, when headers have come, and when each chunk passes. */
export const tappedFetch = ({
  onAttempt,
  onHead,
  onChunk,
}: {
  readonly onAttempt?: (nth: number) => void | Promise<void>;
  readonly onHead?: () => void;
  readonly onChunk?: () => void;
}): typeof fetch => {
  let attempts = 0;
  return async (input, init) => {
    await onAttempt?.(++attempts);
    const response = await fetch(input, init);
    onHead?.();
    if (!onChunk || !response.body) return response;
    const tap = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (chunk, passed) => {
        passed.enqueue(chunk);
        onChunk();
      },
    });
    return new Response(response.body.pipeThrough(tap), response);
  };
};

/** A caller's signal that shows who listens. */
export const watchedSignal = () => {
  const listeners = new Set<() => void>();
  let aborted = false;
  return {
    get aborted() {
      return aborted;
    },
    get listeners() {
      return listeners.size;
    },
    addEventListener: (_: 'abort', listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: 'abort', listener: () => void) => void listeners.delete(listener),
    abort: () => {
      aborted = true;
      for (const listener of listeners) listener();
    },
  };
};

/** What a call that should succeed comes to. */
export const valueOf = async <T>(result: ResultAsync<T, Failure>): Promise<T> =>
  (await result).match(
    (value) => value,
    (failure) => {
      throw new Error(`This should have succeeded: ${JSON.stringify(failure)}`);
    },
  );
