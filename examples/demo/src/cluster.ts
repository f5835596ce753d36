import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listening, reservePort } from './ports.ts';
import { type Portico, startPortico } from './portico.ts';

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis)
  process.stderr.write('\nSKIPPED: redis-server is not installed, tests with several instances are skipped\n');

/** Several `portico serve` with one Redis behind a load balancer that picks one at random, and two sellers. */
export interface Cluster {
  /** URL of the load balancer, which is also the callback URL. */
  readonly url: string;
  readonly instances: readonly Portico[];
  readonly redis: Redis;
  readonly sellers: Sellers;
  close(): Promise<void>;
}

export interface Redis {
  readonly port: number;
  readonly pid: () => number;
  start(): Promise<void>;
  /** Kills the process; its data is lost. */
  stop(): Promise<void>;
}

interface Sellers {
  /** Range of the delay before a callback, in milliseconds. */
  delayMs: readonly [least: number, most: number];
  /** How often each callback is sent, each time to an instance that the load balancer picks. */
  copies: number;
  /** Number of callbacks that were sent again because they were not acknowledged. */
  readonly retries: number;
}

export const startCluster = async ({
  size = 3,
  // On a slow machine, no search times out while Redis restarts, and no network acknowledges too late.
  timeoutMs = 60_000,
  env = {},
  connections = {},
}: {
  readonly size?: number;
  readonly timeoutMs?: number;
  /** Environment of every instance, in addition to that of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Connection limits of every instance, as in its settings. */
  readonly connections?: Readonly<Record<string, number>>;
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
      ackTimeoutMs: timeoutMs,
      legs: {
        moa: leg('moa', 'First network', balancer.url),
        mh: leg('mh', 'Second network', `${balancer.url}/on_search`),
      },
    },
    redis: { url: `redis://127.0.0.1:${redis.port}` },
    connections,
    log: { level: 'warn' },
  };
  const start = () => startPortico(settings, 0, { env });
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
  await waitUntilHealthy(cluster);
  return cluster;
};

/** Resolves when every running instance is healthy. */
export const waitUntilHealthy = async ({ instances }: Pick<Cluster, 'instances'>): Promise<void> => {
  for (const { url } of instances)
    for (;;) {
      const response = await fetch(`${url}/health`).catch(() => undefined);
      if (!response || ((await response.json()) as { readonly status: string }).status === 'ok') break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
};

/** Starts a Redis without persistence on a free port. */
export const startRedis = async (): Promise<Redis> => {
  const port = await reservePort();
  let child: ChildProcess | undefined;
  let guard: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    // Standard input of the guard ends in `stop`, and when this process dies.
    guard = spawn('sh', ['-c', `cat; kill -9 ${child.pid}`], { stdio: ['pipe', 'ignore', 'ignore'] });
    // The system may give the process id to another process, which the guard must not kill.
    child.once('exit', endGuard.bind(undefined, guard));
    for await (const line of child.stdout!) if (String(line).includes('Ready to accept connections')) return;
    throw new Error(`redis-server exited before it accepted connections on port ${port}`);
  };
  await start();
  return {
    port,
    pid: () => child!.pid!,
    start,
    stop: async () => {
      if (child!.exitCode !== null || child!.signalCode !== null) return;
      const exited = once(child!, 'exit');
      guard?.stdin?.end();
      await exited;
    },
  };
};

const endGuard = (guard: ChildProcess): void => {
  guard.kill('SIGKILL');
  guard.stdin?.destroy();
};

/** Forwards to a random instance. Skips those that refuse connections; a connection that breaks later is a 502. */
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
      const outgoingRequest = request(chosen.url + url, { agent, method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
        response.on('error', () => outgoing.destroy());
      });
      outgoingRequest.on('error', ({ code }: NodeJS.ErrnoException) => {
        if (code === 'ECONNREFUSED') attempt(index + 1);
        else if (outgoing.headersSent) outgoing.destroy();
        else outgoing.writeHead(502).end();
      });
      outgoingRequest.end(Buffer.concat(chunks));
    };
    attempt(0);
  });
};

/** Starts sellers that acknowledge, call back after a delay, and retry callbacks that are not acknowledged. */
const startSellers = async (agent: Agent) => {
  const control = { delayMs: [5, 25] as readonly [number, number], copies: 1, retries: 0 };
  // Retries for at least a minute, so that no callback is lost while Redis restarts.
  const post = (url: string, body: string, attempts = 600): void => {
    const retry = () => {
      control.retries++;
      if (attempts > 0) setTimeout(() => post(url, body, attempts - 1), 100);
    };
    request(url, { agent, method: 'POST', headers: { 'content-type': 'application/json' } }, (response) => {
      response.resume();
      if (response.statusCode !== 200) retry();
    })
      .on('error', retry)
      .end(body);
  };
  const server = createServer(async (incoming, outgoing) => {
    const { context } = (await json(incoming)) as { readonly context: { readonly bap_uri: string } };
    outgoing.setHeader('content-type', 'application/json').end('{"message":{"ack":{"status":"ACK"}}}');
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

/** Outcome of a load of searches. */
export interface LoadReport {
  readonly complete: number;
  /** The `errors` of each response with a leg that has no result. */
  readonly incomplete: readonly unknown[];
  /** No response, because the instance was stopped. */
  readonly failed: number;
  /** Of the responses, in ascending order. */
  readonly elapsedMs: readonly number[];
}

/** Runs this number of searches with this concurrency. */
export const load = async (
  { url }: Pick<Cluster, 'url'>,
  searches: number,
  concurrency: number,
  onProgress: (done: number) => void = () => {},
): Promise<LoadReport> => {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const counts = { complete: 0, failed: 0 };
  const incomplete: unknown[] = [];
  const elapsedMs: number[] = [];
  const body = JSON.stringify({ persona: 'member', query: 'health', user_id: 'load' });
  const search = (): Promise<unknown> =>
    new Promise((resolve) => {
      const fail = () => resolve(undefined);
      request(
        `${url}/api/search`,
        { agent, method: 'POST', headers: { 'content-type': 'application/json' } },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve(response.statusCode === 200 ? (JSON.parse(text) as unknown) : undefined));
          response.on('error', fail);
        },
      )
        .on('error', fail)
        .end(body);
    });
  let started = 0;
  const worker = async (): Promise<void> => {
    while (started++ < searches) {
      const response = (await search()) as
        | { moa: unknown; mh: unknown; errors?: unknown; elapsed_ms: number }
        | undefined;
      if (!response) counts.failed++;
      else {
        elapsedMs.push(response.elapsed_ms);
        if (response.moa && response.mh) counts.complete++;
        else incomplete.push(response.errors);
      }
      onProgress(elapsedMs.length);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  agent.destroy();
  return { ...counts, incomplete, elapsedMs: elapsedMs.toSorted((one, other) => one - other) };
};

/** The counted callbacks of all instances, by outcome. */
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
