import {
  createServer,
  request as sendRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { duplexPair, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type IncorrectFaults, incorrectService } from './incorrect-service.ts';

/** A fault of a service. It applies to every request that arrives while it is set. */
export type Fault =
  /** Responds as usual, `ms` milliseconds later. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** Responds with `status` and an internal error message that must never reach a client. */
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  /** Closes the port and drops open connections. */
  | { readonly kind: 'refuse' }
  /** Resets the connection before any byte of the response. */
  | { readonly kind: 'reset' }
  /** Sends the right headers and a part of the real body, then resets the connection. */
  | { readonly kind: 'reset-body' }
  /** Sends the real body one byte at a time. */
  | { readonly kind: 'drip'; readonly everyMs: number }
  /** 200 `application/json` whose body is not JSON. */
  | { readonly kind: 'garbage' }
  /** 200 with a page of HTML. */
  | { readonly kind: 'wrong-type' }
  /** Reads the request and never responds. */
  | { readonly kind: 'black-hole' }
  /** 302 to `location`. */
  | { readonly kind: 'redirect'; readonly location: string }
  /** 200 `application/json`, valid, streamed, with more than `bytes` bytes. */
  | { readonly kind: 'huge'; readonly bytes: number }
  | IncorrectFaults[keyof IncorrectFaults];

export interface RecordedRequest {
  readonly method: string;
  /** With the query string, as received. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** True once the client disconnected before the response ended. */
  readonly aborted: boolean;
}

export interface FaultyServer {
  readonly url: string;
  readonly port: number;
  /** Oldest first, faulty or not; the newest 10 000 are kept. */
  readonly requests: readonly RecordedRequest[];
  /** `null` clears the fault. Resolves when the change is effective for new requests. */
  setFault(fault: Fault | null): Promise<void>;
  clearRequests(): void;
  /** Closes immediately and drops requests in flight. */
  close(): Promise<void>;
}

const maxRequests = 10_000;
const internalText = '{"error":"ORA-00942 at 10.0.0.7 internal-upstream-detail"}';
const page = '<!doctype html><html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1></body></html>';

/**
 * Serves `listener` on 127.0.0.1, on any free port by default, with faults that can be changed while it runs.
 * Rejects when the port is taken.
 */
export const startFaultyServer = async (
  listener: RequestListener,
  { port: wantedPort = 0 }: { readonly port?: number } = {},
): Promise<FaultyServer> => {
  let fault: Fault | null = null;
  let closed = false;
  const requests: RecordedRequest[] = [];
  const sockets = new Set<Socket>();
  const cutByUs = new WeakSet<Socket>();
  let incorrect = incorrectService(listener);

  const cut = (socket: Socket) => {
    cutByUs.add(socket);
    socket.resetAndDestroy();
  };

  const server = createServer((request, response) => {
    const recorded = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      aborted: false,
    };
    requests.push(recorded);
    if (requests.length > maxRequests) requests.shift();
    response.once('close', () => {
      recorded.aborted = !response.writableFinished && !cutByUs.has(request.socket);
    });
    // An error in here breaks the connection to the client, as in a real service.
    respond(listener, incorrect, fault, request, response, cut).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  const listen = async (on: number) => {
    server.listen({ port: on, host: '127.0.0.1' });
    await once(server, 'listening');
  };
  const stopListening = async () => {
    if (!server.listening) return;
    const stopped = once(server, 'close');
    server.close();
    sockets.forEach(cut);
    await stopped;
  };

  await listen(wantedPort);
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    async setFault(next) {
      if (closed) throw new Error('this faulty server is closed');
      fault = next;
      incorrect = incorrectService(listener);
      if (next?.kind === 'refuse') await stopListening();
      else if (!server.listening) await listen(port);
    },
    clearRequests() {
      requests.length = 0;
    },
    async close() {
      closed = true;
      await stopListening();
    },
  };
};

const respond = async (
  listener: RequestListener,
  incorrect: ReturnType<typeof incorrectService>,
  fault: Fault | null,
  request: IncomingMessage,
  response: ServerResponse,
  cut: (socket: Socket) => void,
): Promise<void> => {
  if (!fault) return listener(request, response);
  switch (fault.kind) {
    case 'latency':
      await pause(fault.ms, undefined, { signal: goneSignal(response) });
      return listener(request, response);
    case 'status':
      return send(response, fault.status, { 'content-type': 'application/json' }, fault.body ?? internalText);
    case 'redirect':
      return send(response, 302, { location: fault.location });
    case 'garbage':
      return send(response, 200, { 'content-type': 'application/json' }, '{"status": "ok", <<< not JSON');
    case 'wrong-type':
      return send(response, 200, { 'content-type': 'text/html; charset=utf-8' }, page);
    case 'huge':
      response.writeHead(200, { 'content-type': 'application/json' });
      return pipeline(Readable.from(paddedJson(fault.bytes)), response);
    case 'black-hole':
      request.resume(); // with an unread body, a disconnect would not be noticed
      return;
    case 'reset':
    case 'refuse': // was received before the port closed
      return cut(request.socket);
    case 'reset-body':
      await sendPart(await realResponse(listener, request, response), response);
      return cut(request.socket);
    case 'drip':
      return drip(await realResponse(listener, request, response), response, fault.everyMs);
    default:
      return incorrect[fault.kind](request, response);
  }
};

const send = (response: ServerResponse, status: number, headers: Record<string, string>, body = ''): void => {
  response.writeHead(status, headers).end(body);
};

/** Sends the head to the client as the listener wrote it; returns the body as a stream. */
const realResponse = async (
  listener: RequestListener,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<IncomingMessage> => {
  const [near, far] = duplexPair();
  createServer(listener).emit('connection', far);
  response.once('close', () => {
    near.destroy();
    far.destroy(); // destroying one end does not destroy the other
  });
  const inner = sendRequest({
    createConnection: () => near,
    method: request.method,
    path: request.url,
    headers: { ...request.headers, connection: 'close' },
  });
  inner.on('error', () => response.destroy()); // may be emitted after the response began
  const responded = once(inner, 'response') as Promise<[IncomingMessage]>;
  request.pipe(inner);
  const [real] = await responded;
  const { connection: _, 'keep-alive': __, ...headers } = real.headers;
  response.writeHead(real.statusCode ?? 500, headers);
  return real;
};

const sendPart = async (real: IncomingMessage, response: ServerResponse): Promise<void> => {
  for await (const chunk of real as AsyncIterable<Buffer>) {
    await new Promise((sent) => response.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), sent));
    break;
  }
  response.flushHeaders();
  await pause(10, undefined, { signal: goneSignal(response) }); // on some systems, a reset discards bytes that were not read yet
};

const drip = async (real: IncomingMessage, response: ServerResponse, everyMs: number): Promise<void> => {
  const signal = goneSignal(response);
  for await (const chunk of real as AsyncIterable<Buffer>) {
    for (const byte of chunk) {
      response.write(Buffer.of(byte));
      await pause(everyMs, undefined, { signal });
    }
  }
  response.end();
};

const goneSignal = (response: ServerResponse): AbortSignal => {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (response.closed) gone.abort();
  return gone.signal;
};

const paddedJson = function* (bytes: number) {
  const block = 'x'.repeat(64 * 1024);
  yield '{"padding":"';
  for (let sent = 0; sent <= bytes; sent += block.length) yield block;
  yield '"}';
};
