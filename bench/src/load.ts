/** The load generator, in a process of its own: told over IPC what to put where, it says what came back. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { machineTime } from './machine-time.ts';
import { readMessages, requestBytes, type WireMessage } from './wire.ts';

export interface Load {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A JSON file of tokens, each request another one, round and round. */
  readonly tokens?: string;
  /** How many of them. */
  readonly tokenCount?: number;
  readonly connections: number;
  /** Each connection goes on for so long, or sends one request only. */
  readonly seconds?: number;
  /** Keep when each answer was there, and the transaction ids in it. */
  readonly keepAnswers?: boolean;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p99: number;
  readonly answers: readonly { readonly at: number; readonly ids: readonly string[] }[];
}

const prepare = (load: Load): readonly Buffer[] => {
  const { url, method = 'GET', headers, body, tokens, tokenCount } = load;
  const made = (token?: string) =>
    requestBytes(method, new URL(url), { ...headers, ...(token && { Authorization: `Bearer ${token}` }) }, body);
  if (tokens === undefined) return [made()];
  return (JSON.parse(readFileSync(tokens, 'utf8')) as string[]).slice(0, tokenCount).map((token) => made(token));
};

let nextToken = 0;

const run = async (load: Load): Promise<LoadResult> => {
  const { url, connections, seconds = 0, keepAnswers = false } = load;
  const requests = prepare(load);
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  // A few at a time: a thousand at once would not fit the server's backlog.
  for (let left = connections; left > 0; left -= 100) {
    const some = Array.from({ length: Math.min(left, 100) }, () =>
      connect({ host: hostname, port: Number(port), noDelay: true }),
    );
    await Promise.all(some.map((socket) => once(socket, 'connect')));
    sockets.push(...some);
  }
  const histogram = createHistogram();
  const answers: { at: number; ids: string[] }[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;

  const drive = (socket: Socket): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(requests[nextToken++ % requests.length]!);
    };
    const onAnswer = (message: WireMessage) => {
      const now = performance.now();
      if (!message.head.startsWith('HTTP/1.1 200 ')) {
        reject(new Error(`${url} answered: ${message.head}`));
        return;
      }
      histogram.record(Math.max(1, Math.round((now - sentAt) * 1e6)));
      if (keepAnswers)
        answers.push({
          at: machineTime(),
          ids: [...message.body.toString().matchAll(/"transaction_id":"([^"]+)"/g)].map(([, id = '']) => id),
        });
      if (now < endsAt) send();
      else resolve();
    };
    readMessages(socket, keepAnswers, onAnswer);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`${url} closed a connection in the middle`)));
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
    answers,
  };
};

process.on('message', (load: Load) => {
  run(load).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.stdout.write('{}\n');
