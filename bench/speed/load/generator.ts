/** The load generator, a separate process: receives a load over IPC, applies it, and replies with the result. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { machineTime } from '../../machine-time.ts';
import { readMessages, requestBytes, type WireMessage } from './wire.ts';

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

const transactionIds = (body: Buffer): string[] =>
  [...body.toString().matchAll(/"transaction_id":"([^"]+)"/g)].map(([, id = '']) => id);

let nextToken = 0;

const apply = async (load: Load): Promise<LoadResult> => {
  const { url, connections, seconds = 0, keepResponses = false } = load;
  const requests = prepareRequests(load);
  const sockets = await openSockets(url, connections);
  const histogram = createHistogram();
  const responses: ReceivedIds[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;

  const drive = (socket: Socket): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(requests[nextToken++ % requests.length]!);
    };
    const onResponse = ({ head, body }: WireMessage) => {
      const now = performance.now();
      if (!head.startsWith('HTTP/1.1 200 ')) return reject(new Error(`${url} responded: ${head}`));
      histogram.record(Math.max(1, Math.round((now - sentAt) * 1e6)));
      if (keepResponses) responses.push({ at: machineTime(), ids: transactionIds(body) });
      return now < endsAt ? send() : resolve();
    };
    readMessages(socket, keepResponses, onResponse);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`${url} closed a connection in the middle of a response`)));
    send();
    return promise;
  };
  const outcomes = await Promise.allSettled(sockets.map(drive));
  const endedAt = performance.now();
  for (const socket of sockets) socket.destroy();
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return {
    requests: histogram.count,
    seconds: (endedAt - startedAt) / 1000,
    p99: histogram.percentile(99) / 1e6,
    responses,
  };
};

process.on('message', (load: Load) => {
  apply(load).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.stdout.write('{}\n');
