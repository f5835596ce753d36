import {
  createServer,
  request as ask,
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

/** One way for a service to be ill. It concerns every request that arrives while it is set. */
export type Fault =
  /** Answers as usual, `ms` milliseconds later. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** Answers with `status` and an internal error text nobody outside should ever read. */
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  /** Nothing listens on the port, and the connections there were are dropped. */
  | { readonly kind: 'refuse' }
  /** Resets the connection before any byte of the answer. */
  | { readonly kind: 'reset' }
  /** Sends the right headers and a part of the real body, then resets the connection. */
  | { readonly kind: 'reset-body' }
  /** Sends the real body one byte at a time. */
  | { readonly kind: 'drip'; readonly everyMs: number }
  /** 200 `application/json` whose body is not JSON. */
  | { readonly kind: 'garbage' }
  /** 200 with a page of HTML. */
  | { readonly kind: 'wrong-type' }
  /** Accepts, reads, never answers. */
  | { readonly kind: 'black-hole' }
  /** 302 to `location`. */
  | { readonly kind: 'redirect'; readonly location: string }
  /** 200 `application/json`, valid, streamed, with more than `bytes` bytes. */
  | { readonly kind: 'huge'; readonly bytes: number };

export interface RecordedRequest {
  readonly method: string;
  /** With the query string, as received. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** True once the client hung up before the answer ended. */
  readonly aborted: boolean;
}

export interface FaultyServer {
  readonly url: string;
  readonly port: number;
  /** Oldest first, faulty or not; the newest 10 000 are kept. */
  readonly requests: readonly RecordedRequest[];
  /** `null` makes the service well again. Resolves when the fault is in force for new requests. */
  setFault(fault: Fault | null): Promise<void>;
  clearRequests(): void;
  /** Ends at once: whoever still waits for an answer is cut off. */
  close(): Promise<void>;
}

const requestsKept = 10_000;
const internalText = '{"error":"ORA-00942 at 10.0.0.7 internal-upstream-detail"}';
const page = '<!doctype html><html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1></body></html>';

/**
 * Serves `listener` on 127.0.0.1 (any free port unless told) with faults that can be switched while it runs.
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
    if (requests.length > requestsKept) requests.shift();
    response.once('close', () => {
      recorded.aborted = !response.writableFinished && !cutByUs.has(request.socket);
    });
    // Whatever breaks in here is a broken connection to the client, as it would be with a real service.
    answer(listener, fault, request, response, cut).catch(() => response.destroy());
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

const answer = async (
  listener: RequestListener,
  fault: Fault | null,
  request: IncomingMessage,
  response: ServerResponse,
  cut: (socket: Socket) => void,
): Promise<void> => {
  switch (fault?.kind) {
    case undefined:
      return listener(request, response);
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
      request.resume(); // an unread body would keep us from seeing the client leave
      return;
    case 'reset':
    case 'refuse': // was already on its way when the port closed
      return cut(request.socket);
    case 'reset-body':
      await sendPart(await realAnswer(listener, request, response), response);
      return cut(request.socket);
    case 'drip':
      return drip(await realAnswer(listener, request, response), response, fault.everyMs);
  }
};

const send = (response: ServerResponse, status: number, headers: Record<string, string>, body = ''): void => {
  response.writeHead(status, headers).end(body);
};

/** The head goes to the client as the listener wrote it; the body comes back as a stream to tamper with. */
const realAnswer = async (
  listener: RequestListener,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<IncomingMessage> => {
  const [near, far] = duplexPair();
  createServer(listener).emit('connection', far);
  response.once('close', () => {
    near.destroy();
    far.destroy(); // one end does not take the other with it
  });
  const inner = ask({
    createConnection: () => near,
    method: request.method,
    path: request.url,
    headers: { ...request.headers, connection: 'close' },
  });
  inner.on('error', () => response.destroy()); // may still come after the answer began
  const answered = once(inner, 'response') as Promise<[IncomingMessage]>;
  request.pipe(inner);
  const [real] = await answered;
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
  await pause(10, undefined, { signal: goneSignal(response) }); // some systems let a reset overtake bytes not yet read
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
