import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createSecureContext, setDefaultCACertificates, TLSSocket } from 'node:tls';
import type { Failure } from '@portico/core';
import type { ResultAsync } from 'neverthrow';
import { describe, it, onTestFinished } from 'vitest';

/** Tests run over plain HTTP and, where TLS could make a difference, again over HTTPS: see vitest.config.ts. */
export type Scheme = 'http' | 'https';
const scheme: Scheme = process.env['TEST_SCHEME'] === 'https' ? 'https' : 'http';

/** Runs contract suites, which must pass on a busy machine. */
export const contractRunner = { describe, it, deadlineMs: 60_000 };

/** For tests of what is sent, received or cached: they are not repeated over HTTPS. */
export const describeOnce: (title: string, tests: () => void) => void = describe.skipIf(scheme === 'https');

const pem = readFileSync(new URL('loopback-certificate.test.pem', import.meta.url), 'utf8');
/** Key and certificate of the local servers. All TLS clients of this process trust it, including the global `fetch`. */
export const loopbackTls = { key: pem, cert: pem.slice(pem.indexOf('-----BEGIN CERTIFICATE')) };
setDefaultCACertificates([loopbackTls.cert]);
const secureContext = createSecureContext(loopbackTls);

/** Wraps a connection in server-side TLS. A reset still resets the TCP connection. */
const overTls = (socket: Socket): Socket => {
  const secured = new TLSSocket(socket, { isServer: true, secureContext });
  // The TCP socket does not always emit `close` by itself.
  secured.on('error', () => {}).once('close', () => void socket.destroy().emit('close'));
  return Object.assign(secured, { resetAndDestroy: () => socket.resetAndDestroy() });
};

const createWebServer = (listener: RequestListener, over: Scheme = scheme): Server => {
  const web = createHttpServer(listener);
  return over === 'https' ? createTcpServer((socket) => web.emit('connection', overTls(socket))) : web;
};

/** A request that a local server received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** Starts a web server on loopback until the test ends. `nth` counts requests from 1. */
export const httpServer = async (
  respond: (response: ServerResponse, request: ReceivedRequest, nth: number) => void,
  over: Scheme = scheme,
) => {
  const requests: ReceivedRequest[] = [];
  const { url, watch, changed } = await start(
    createWebServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url: path = '', headers } = request;
        const received = { method, path, headers, body: Buffer.concat(chunks).toString() };
        requests.push(received);
        respond(response, received, requests.length);
        changed();
      });
    }, over),
    over,
  );
  return Object.assign(watch, { url, requests });
};

/** Responds with a value as JSON. */
export const sendJson = (response: ServerResponse, value: unknown, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

/** Starts a TCP server that responds to the first bytes of each connection. `nth` counts connections from 1. */
export const tcpServer = async (respond: (socket: Socket, nth: number) => void) => {
  const requests: string[] = [];
  const sockets: Socket[] = [];
  const server = await socketServer((socket) => {
    sockets.push(socket);
    socket.once('data', (head) => {
      requests.push(head.toString());
      respond(socket, requests.length);
      server.changed();
    });
  });
  return Object.assign(server, { requests, sockets });
};

/** Starts a server of raw connections, over TLS when the tests run over HTTPS. */
export const socketServer = async (onConnection: (socket: Socket) => void) => {
  const { url, watch, changed } = await start(
    createTcpServer((connection) => onConnection(scheme === 'https' ? overTls(connection) : connection)),
  );
  return Object.assign(watch, { url, changed });
};

/**
 * A URL on which no server listens. `open` starts one there. The port is in a range that no other test uses, and from which
 * the system takes none: another test would soon listen on a port that was free a moment ago.
 */
export const closedPort = async () => {
  let port: number;
  do port = 18_100 + Math.floor(Math.random() * 1900);
  while (!(await isFree(port)));
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    open: async (respond: (response: ServerResponse) => void) => {
      const late = createWebServer((_, response) => respond(response));
      onTestFinished(() => void late.close());
      await once(late.listen(port, '127.0.0.1'), 'listening');
    },
  };
};

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createTcpServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

const start = async (server: Server, over: Scheme = scheme) => {
  const open = new Set<Socket>();
  const waiting = new Set<() => void>();
  const changed = () => {
    for (const check of waiting) check();
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
    /** Resolves when the condition is true. Checks it after each connection, request and close. */
    until: (condition: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const check = () => {
          if (!condition()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
  return { url: `${over}://127.0.0.1:${(server.address() as AddressInfo).port}`, watch, changed };
};

/** The global `fetch` with callbacks: before each attempt, after the headers, and after each chunk. */
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
      transform: (chunk, output) => {
        output.enqueue(chunk);
        onChunk();
      },
    });
    return new Response(response.body.pipeThrough(tap), response);
  };
};

/** An abort signal that counts its listeners. */
export const watchedSignal = () => {
  const listeners = { abort: new Set<() => void>() };
  let aborted = false;
  return {
    get aborted() {
      return aborted;
    },
    get listeners() {
      return listeners.abort.size;
    },
    addEventListener: (type: 'abort', listener: () => void) => void listeners[type].add(listener),
    removeEventListener: (type: 'abort', listener: () => void) => void listeners[type].delete(listener),
    abort: () => {
      aborted = true;
      for (const listener of listeners.abort) listener();
    },
  };
};

/** The value of a call. Throws when the call failed. */
export const valueOf = async <T>(result: ResultAsync<T, Failure>): Promise<T> =>
  (await result).match(
    (value) => value,
    (failure) => {
      throw new Error(`The call failed: ${JSON.stringify(failure)}`);
    },
  );
