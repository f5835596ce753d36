import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reservePort } from './ports.ts';
import { type Portico, startPortico } from './portico.ts';

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) process.stderr.write('\nSKIPPED: redis-server is not installed, and nothing runs on many instances\n');

/** Several `portico serve` with one Redis, behind a balancer that picks one at random; two sellers that call back there. */
export interface Cluster {
  /** The balancer's. */
  readonly url: string;
  readonly instances: readonly Portico[];
  readonly redis: Redis;
  readonly sellers: Sellers;
  close(): Promise<void>;
}

interface Redis {
  readonly port: number;
  readonly pid: () => number;
  start(): Promise<void>;
  /** At once, and nothing is kept. */
  stop(): Promise<void>;
}

interface Sellers {
  /** Milliseconds until a callback follows, from the least to the most. */
  delayMs: readonly [least: number, most: number];
  /** How often the same callback is sent, each time to whichever instance the balancer picks. */
  copies: number;
  /** How many callbacks were answered so that they had to be sent again. */
  readonly sentAgain: number;
}

export const startCluster = async ({
  size = 3,
  timeoutMs = 10_000,
  env = {},
}: {
  readonly size?: number;
  readonly timeoutMs?: number;
  /** Of every instance, beside our own. */
  readonly env?: Readonly<Record<string, string>>;
} = {}): Promise<Cluster> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  const redis = await startRedis();
  const instances: Portico[] = [];
  const balancer = await listening(createServer((incoming, outgoing) => forward(agent, instances, incoming, outgoing)));
  const sellers = await startSellers(agent);
  const leg = (id: string, label: string, bapUri: string) => ({
    label,
    domain: 'retail',
    version: '1.1.0',
    city: 'std:080',
    categoryCode: 'health',
    bapId: 'bap.example',
    bapUri,
    gatewayUrl: sellers.url,
    gatewayPath: `/${id}`,
  });
  const settings = {
    search: {
      timeoutMs,
      legs: {
        moa: leg('moa', 'One network', balancer.url),
        mh: leg('mh', 'Another network', `${balancer.url}/on_search`),
      },
    },
    redis: { url: `redis://127.0.0.1:${redis.port}` },
    log: { level: 'warn' },
  };
  const start = () => startPortico(settings, 0, undefined, undefined, env);
  for (const started of await Promise.all(Array.from({ length: size }, start))) instances.push(started);
  const cluster: Cluster = {
    url: balancer.url,
    instances,
    redis,
    sellers: sellers.control,
    close: async () => {
      await Promise.all(instances.map((instance) => instance.stop()));
      balancer.close();
      sellers.close();
      agent.destroy();
      await redis.stop();
    },
  };
  await healthy(cluster);
  return cluster;
};

/** Resolves when every instance that is alive says that it is well. */
export const healthy = async ({ instances }: Pick<Cluster, 'instances'>): Promise<void> => {
  for (const { url } of instances)
    for (;;) {
      const answer = await fetch(`${url}/health`).catch(() => undefined);
      if (!answer || ((await answer.json()) as { readonly status: string }).status === 'ok') break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
};

const startRedis = async (): Promise<Redis> => {
  const port = await reservePort();
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    for await (const line of child.stdout!) if (String(line).includes('Ready to accept connections')) break;
    child.stdout?.resume();
  };
  await start();
  return {
    port,
    pid: () => child!.pid!,
    start,
    stop: async () => {
      const exited = once(child!, 'exit');
      child?.kill('SIGKILL');
      await exited;
    },
  };
};

/** What does not listen any more is passed by; what broke off midway is a 502, as balancers do. */
const forward = (
  agent: Agent,
  instances: readonly Portico[],
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const order = instances.map((instance) => ({ instance, at: Math.random() })).toSorted((a, b) => a.at - b.at);
    const attempt = (index: number): void => {
      const chosen = order[index]?.instance;
      if (!chosen) return void outgoing.writeHead(502).end();
      const { method, url, headers } = incoming;
      const asked = request(chosen.url + url, { agent, method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
      });
      asked.on('error', ({ code }: NodeJS.ErrnoException) => {
        if (code === 'ECONNREFUSED') attempt(index + 1);
        else if (outgoing.headersSent) outgoing.destroy();
        else outgoing.writeHead(502).end();
      });
      asked.end(Buffer.concat(chunks));
    };
    attempt(0);
  });
};

/** Acknowledge, and call back after a while; an answer that is no ACK makes them send it again, as sellers do. */
const startSellers = async (agent: Agent) => {
  const control = { delayMs: [5, 25] as readonly [number, number], copies: 1, sentAgain: 0 };
  const post = (url: string, body: string, attempts = 50): void => {
    const again = () => {
      control.sentAgain++;
      if (attempts > 0) setTimeout(() => post(url, body, attempts - 1), 100);
    };
    request(url, { agent, method: 'POST', headers: { 'content-type': 'application/json' } }, (answer) => {
      answer.resume();
      if (answer.statusCode !== 200) again();
    })
      .on('error', again)
      .end(body);
  };
  const server = createServer(async (incoming, outgoing) => {
    let text = '';
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
    outgoing.setHeader('content-type', 'application/json').end('{"message":{"ack":{"status":"ACK"}}}');
    const { context } = JSON.parse(text) as { readonly context: { readonly bap_uri: string } };
    const items = Array.from({ length: 5 }, (_, id) => ({ id: `item-${id}`, descriptor: { name: `Item ${id}` } }));
    const callback = JSON.stringify({
      context: { ...context, action: 'on_search', bpp_id: 'bpp.example' },
      message: { catalog: { providers: [{ id: 'p', items }] } },
    });
    const url = context.bap_uri.endsWith('/on_search') ? context.bap_uri : `${context.bap_uri}/on_search`;
    const [least, most] = control.delayMs;
    setTimeout(
      () => {
        for (let copy = 0; copy < control.copies; copy++) post(url, callback);
      },
      least + Math.random() * (most - least),
    );
  });
  return { ...(await listening(server)), control };
};

const listening = async (server: Server) => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** What became of a load of searches. */
export interface LoadReport {
  readonly complete: number;
  /** A leg had no result. */
  readonly incomplete: number;
  /** There was no answer: its instance was gone. */
  readonly unanswered: number;
  /** Of the answers, in order. */
  readonly elapsedMs: readonly number[];
}

/** So many searches, so many at a time. */
export const load = async (
  { url }: Pick<Cluster, 'url'>,
  searches: number,
  concurrency: number,
  onProgress: (done: number) => void = () => {},
): Promise<LoadReport> => {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const counts = { complete: 0, incomplete: 0, unanswered: 0 };
  const elapsedMs: number[] = [];
  const body = JSON.stringify({ persona: 'member', query: 'health', user_id: 'load' });
  const search = (): Promise<unknown> =>
    new Promise((resolve) => {
      const fail = () => resolve(undefined);
      request(
        `${url}/api/search`,
        { agent, method: 'POST', headers: { 'content-type': 'application/json' } },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          answer.on('end', () => resolve(answer.statusCode === 200 ? (JSON.parse(text) as unknown) : undefined));
          answer.on('error', fail);
        },
      )
        .on('error', fail)
        .end(body);
    });
  let started = 0;
  const worker = async (): Promise<void> => {
    while (started++ < searches) {
      const answer = (await search()) as { moa: unknown; mh: unknown; elapsed_ms: number } | undefined;
      if (!answer) counts.unanswered++;
      else {
        elapsedMs.push(answer.elapsed_ms);
        counts[answer.moa && answer.mh ? 'complete' : 'incomplete']++;
      }
      onProgress(elapsedMs.length);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  agent.destroy();
  return { ...counts, elapsedMs: elapsedMs.toSorted((one, other) => one - other) };
};

/** The sum of what the instances have counted. */
export const callbackCounts = async ({ instances }: Pick<Cluster, 'instances'>): Promise<Record<string, number>> => {
  const sum: Record<string, number> = {};
  for (const { url } of instances) {
    const { callbacks } = (await (await fetch(`${url}/health`)).json()) as {
      readonly callbacks: Readonly<Record<string, number>>;
    };
    for (const [fate, count] of Object.entries(callbacks)) sum[fate] = (sum[fate] ?? 0) + count;
  }
  return sum;
};
