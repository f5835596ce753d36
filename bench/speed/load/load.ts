import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { machineTime } from '../../machine-time.ts';
import { readMessages, requestBytes } from './wire.ts';

export interface Load {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A JSON file of access tokens; requests cycle through them. */
  readonly tokens?: string;
  /** Number of tokens to use. */
  readonly tokenCount?: number;
  readonly connections: number;
  /** How long each connection keeps sending; by default it sends one request. */
  readonly seconds?: number;
  /** Record the arrival time of each response, and the transaction ids in it. */
  readonly keepResponses?: boolean;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p99: number;
  readonly responses: readonly ReceivedIds[];
}

interface ReceivedIds {
  /** Machine time. */
  readonly at: number;
  readonly ids: readonly string[];
}

const prepareRequests = (load: Load): readonly Buffer[] => {
  const { url, method = 'GET', headers, body, tokens, tokenCount } = load;
  const requestWith = (token?: string) =>
    requestBytes(method, new URL(url), { ...headers, ...(token && { Authorization: `Bearer ${token}` }) }, body);
  if (tokens === undefined) return [requestWith()];
  return (JSON.parse(readFileSync(tokens, 'utf8')) as string[]).slice(0, tokenCount).map(requestWith);
};

/** Opens 100 connections at a time: a thousand at once exceed the server's backlog. */
const openSockets = async (url: string, connections: number): Promise<Socket[]> => {
  const { hostname: host, port } = new URL(url);
  const sockets: Socket[] = [];
  for (let missing = connections; missing > 0; missing -= 100) {
    const some = Array.from({ length: Math.min(missing, 100) }, () =>
      connect({ host, port: Number(port), noDelay: true }),
    );
    await Promise.all(some.map((socket) => once(socket, 'connect')));
    sockets.push(...some);
  }
  return sockets;
};

/** The transaction ids in a response. */
export const transactionIds = (body: Buffer): string[] =>
  [...body.toString().matchAll(/"transaction_id":"([^"]+)"/g)].map(([, id = '']) => id);

/** Sends a request on its connection, and resolves with the body of the response. Rejects unless the status is 200. */
export type Exchange = (request: Buffer) => Promise<Buffer>;

/** Sends one request at a time on a connection. */
export const exchangeOn = (socket: Socket, url: string, keepBodies: boolean): Exchange => {
  let pending = Promise.withResolvers<Buffer>();
  // A connection may be closed before its first request.
  pending.promise.catch(() => {});
  const fail = (problem: string) => pending.reject(new Error(`${url} ${problem}`));
  readMessages(socket, keepBodies, ({ head, body }) =>
    head.startsWith('HTTP/1.1 200 ') ? pending.resolve(body) : fail(`responded: ${head}`),
  );
  socket.once('error', (error) => fail(error.message));
  socket.once('close', () => fail('closed a connection in the middle of a response'));
  return (request) => {
    pending = Promise.withResolvers();
    if (socket.destroyed) fail('closed a connection between two requests');
    else socket.write(request);
    return pending.promise;
  };
};

/** How many requests each URL has received: a server gets the next token each time, whatever other servers got. */
const sentTo = new Map<string, number>();

/** A load on open connections. */
interface OpenLoad {
  /** Each connection keeps sending for so long, at least one request. */
  readonly send: (seconds: number) => Promise<LoadResult>;
  readonly close: () => void;
}

/** Opens the connections of a load. */
export const openLoad = async (load: Omit<Load, 'seconds'>): Promise<OpenLoad> => {
  const { url, connections, keepResponses = false } = load;
  const requests = prepareRequests(load);
  const sockets = await openSockets(url, connections);
  const exchanges = sockets.map((socket) => exchangeOn(socket, url, keepResponses));
  let next = sentTo.get(url) ?? 0;

  const send = async (seconds: number): Promise<LoadResult> => {
    const histogram = createHistogram();
    const responses: ReceivedIds[] = [];
    const startedAt = performance.now();
    const endsAt = startedAt + seconds * 1000;
    const drive = async (exchange: Exchange): Promise<void> => {
      let receivedAt: number;
      do {
        const sentAt = performance.now();
        const body = await exchange(requests[next++ % requests.length]!);
        receivedAt = performance.now();
        histogram.record(Math.max(1, Math.round((receivedAt - sentAt) * 1e6)));
        if (keepResponses) responses.push({ at: machineTime(), ids: transactionIds(body) });
      } while (receivedAt < endsAt);
    };
    const outcomes = await Promise.allSettled(exchanges.map(drive));
    const endedAt = performance.now();
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    return {
      requests: histogram.count,
      seconds: (endedAt - startedAt) / 1000,
      p99: histogram.percentile(99) / 1e6,
      responses,
    };
  };
  const close = (): void => {
    sentTo.set(url, next);
    for (const socket of sockets) socket.destroy();
  };
  return { send, close };
};
