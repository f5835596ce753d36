import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import getPort, { portNumbers } from 'get-port';
import { afterAll, beforeAll, describe, expect, it, type TestContext, vi } from 'vitest';
import { redisClient } from './client.ts';
import { redisCommandClient, type RedisConnection } from './connection/command-client.ts';

export type Test = Pick<TestContext, 'onTestFinished'>;

/** How long a test waits for a change, also on a slow machine. */
export const soon = { timeout: 60_000, interval: 10 };

/** Runs contract suites, which must pass on a busy machine. */
export const contractRunner = { describe, it, deadlineMs: 60_000 };

/** How long adapters wait for Redis in tests that are not about a slow one. */
export const longWaitMs = 20_000;

/** Whether `redis-server` is installed. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) process.stderr.write('SKIPPED: tests that need Redis, because redis-server is not installed\n');

const loopback = '127.0.0.1';

/** A free port below the ephemeral range, so that it stays free while its Redis is down. */
const freePort = (): Promise<number> =>
  getPort({ reserve: true, host: loopback, port: portNumbers(20_000 + Math.floor(Math.random() * 9000), 29_999) });

export type RedisOptions = Readonly<Record<string, string | number>>;

/** Starts a Redis without persistence, unless the options enable it. Returns undefined when the port is in use. */
const launch = async (port: number, options: RedisOptions) => {
  const settings = { port, bind: loopback, save: '', appendonly: 'no', dir: tmpdir(), ...options };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const isReady = new Promise<boolean>((resolve) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (/Ready to accept connections|Reading RDB base file|DB loaded from append/.test(output)) resolve(true);
    });
    child.once('close', () => resolve(false));
  });
  return (await isReady) ? { child, ended } : undefined;
};

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Starts it again on the same port, empty unless persistence is on. Resolves when it accepts connections. */
  start(options?: RedisOptions): Promise<void>;
  /** Kills it (SIGKILL). */
  stop(): Promise<void>;
  /** Stops the process (SIGSTOP): connections stay open, but get no replies. */
  pause(): void;
  resume(): void;
}

/** Starts a Redis on loopback, which the caller has to stop. */
export const startRedis = async ({
  isStarted = true,
  options = {},
}: { readonly isStarted?: boolean; readonly options?: RedisOptions } = {}): Promise<RedisServer> => {
  let port = await freePort();
  let running: Awaited<ReturnType<typeof launch>>;
  if (isStarted)
    for (let tries = 0; !running; tries++) {
      if (tries === 5) throw new Error('redis-server does not start');
      running = await launch(port, options);
      if (!running) port = await freePort();
    }
  return {
    url: `redis://${loopback}:${port}`,
    port,
    start: async (more) => {
      running ??= await launch(port, { ...options, ...more });
      if (!running) throw new Error('redis-server does not start again');
    },
    stop: async () => {
      running?.child.kill('SIGKILL');
      await running?.ended;
      running = undefined;
    },
    pause: () => void running?.child.kill('SIGSTOP'),
    resume: () => void running?.child.kill('SIGCONT'),
  };
};

/** Starts a Redis that is stopped after the test. */
export const redisServer = async (
  { onTestFinished }: Test,
  isStarted = true,
  options: RedisOptions = {},
): Promise<RedisServer> => {
  const redis = await startRedis({ isStarted, options });
  onTestFinished(redis.stop);
  return redis;
};

/** Creates a connection that is closed after the test. It may not be made yet. */
export const connectionTo = ({ onTestFinished }: Test, { url }: Pick<RedisServer, 'url'>): RedisConnection => {
  const client = redisCommandClient(url);
  onTestFinished(client.close);
  return client;
};

export const readyConnection = async (test: Test, redis: Pick<RedisServer, 'url'>): Promise<RedisConnection> => {
  const client = connectionTo(test, redis);
  await vi.waitFor(() => expect(client.isReady).toBe(true), soon);
  return client;
};

/** Returns a function that creates the adapter of one instance, connected and with a long timeout. */
export const connectedWith =
  <Settings, Adapter>(create: (settings: Connected & Partial<Settings>) => Adapter) =>
  async (test: Test, redis: Pick<RedisServer, 'url'>, settings: Partial<Settings> = {}): Promise<Adapter> =>
    create({ client: await readyConnection(test, redis), waitMs: longWaitMs, ...settings });

interface Connected {
  readonly client: RedisConnection;
  readonly waitMs: number;
}

/** Connects a plain client to inspect a Redis. */
export const inspector = async ({ onTestFinished }: Test, { url }: Pick<RedisServer, 'url'>) => {
  const client = redisClient({ url, socket: { reconnectStrategy: () => 20 } });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.destroy());
  return client;
};

/** Lets time pass for all keys: shortens their remaining lifetime. */
export const passTime = async (observer: Awaited<ReturnType<typeof inspector>>, ms: number): Promise<void> => {
  const shorten = `for _, key in ipairs(redis.call('KEYS', '*')) do
    redis.call('PEXPIRE', key, redis.call('PTTL', key) - ARGV[1])
  end`;
  await observer.eval(shorten, { arguments: [String(ms)] });
};

/** Creates a Redis user with the keys and commands that docs/scaling.md lists, no channels, and these rules. */
export const userWith = async (test: Test, redis: RedisServer, ...rules: readonly string[]) => {
  const observer = await inspector(test, redis);
  const commands = ['+@read', '+@write', '+@pubsub', '+@scripting', '+@connection'];
  await observer.aclSetUser('portico', ['on', '>pw', '~portico:*', ...commands, 'resetchannels', ...rules]);
  return {
    observer,
    url: redis.url.replace('redis://', 'redis://portico:pw@'),
    change: (rule: string) => observer.aclSetUser('portico', rule),
  };
};

/** The number of connections that a Redis has accepted since its start. */
export const connectionsReceived = async (observer: Awaited<ReturnType<typeof inspector>>): Promise<number> =>
  Number(/total_connections_received:(\d+)/.exec(await observer.info('stats'))?.[1]);

/** The number of bytes that a Redis has received since its start. */
export const bytesReceived = async (observer: Awaited<ReturnType<typeof inspector>>): Promise<number> =>
  Number(/total_net_input_bytes:(\d+)/.exec(await observer.info('stats'))?.[1]);

/** Records the commands that a Redis receives, except those of scripts and of connection handling. */
export const commandsOf = async (test: Test, redis: RedisServer) => {
  const commands: string[] = [];
  const watcher = await inspector(test, redis);
  const marker = await inspector(test, redis);
  await watcher.monitor((line) => {
    const [, source = '', command = ''] = /^\S+ \[\d+ (\S+)\] (.*)$/s.exec(line) ?? [];
    if (source !== 'lua' && !/^"(?:ping|hello|client|subscribe|info|monitor)"/i.test(command)) commands.push(command);
  });
  let marks = 0;
  return {
    /** Returns the commands received so far, and clears them. */
    take: async (): Promise<readonly string[]> => {
      const mark = `mark-${++marks}`;
      await marker.echo(mark);
      while (!commands.some((command) => command.includes(mark))) await new Promise((resolve) => setImmediate(resolve));
      return commands.splice(0).filter((command) => !command.startsWith('"ECHO"'));
    },
  };
};

/** Starts a TCP proxy to a Redis, whose connections can be cut, delayed or frozen. */
export const proxyTo = async ({ onTestFinished }: Test, redis: RedisServer) => {
  const open = new Set<Socket>();
  let isDisconnected = false;
  let isHeld = false;
  let held: (() => void)[] = [];
  let frozen = new WeakSet<Socket>();
  let onRequest: ((request: string) => void) | undefined;
  const disconnect = () => {
    isDisconnected = true;
    for (const socket of open) socket.destroy();
  };
  const server = createServer((downstream) => {
    if (isDisconnected) {
      downstream.destroy();
      return;
    }
    const upstream = connect(redis.port, loopback);
    for (const [one, other] of [
      [downstream, upstream],
      [upstream, downstream],
    ] as const) {
      open.add(one);
      one.on('error', () => {});
      one.once('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
    downstream.on('data', (chunk: Buffer) => {
      onRequest?.(chunk.toString());
      if (!frozen.has(downstream)) upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      const pass = () => void downstream.write(chunk);
      if (isHeld) held.push(pass);
      else if (!frozen.has(downstream)) pass();
    });
  });
  await once(server.listen(0, loopback), 'listening');
  onTestFinished(() => {
    disconnect();
    server.close();
  });
  return {
    url: `redis://${loopback}:${(server.address() as AddressInfo).port}`,
    /** Closes every connection, and refuses new ones. */
    disconnect,
    /** Accepts connections again. */
    reconnect: () => {
      isDisconnected = false;
    },
    /** Delays the replies of Redis until `releaseReplies`. */
    holdReplies: () => {
      isHeld = true;
    },
    releaseReplies: () => {
      isHeld = false;
      for (const pass of held.splice(0)) pass();
    },
    /** Keeps the open connections open, but forwards nothing on them any more. */
    freeze: () => {
      frozen = new WeakSet(open);
    },
    onRequest: (listener?: (request: string) => void) => {
      onRequest = listener;
    },
  };
};

/** Two connections to one Redis, as two instances have, for all tests of a suite. */
export const twoConnections = () => {
  let redis: RedisServer | undefined;
  let clients: readonly RedisConnection[] = [];
  beforeAll(async () => {
    redis = await startRedis();
    clients = [redisCommandClient(redis.url), redisCommandClient(redis.url)];
    await Promise.all(clients.map(({ connected }) => connected));
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await redis?.stop();
  });
  return {
    get redis() {
      return redis!;
    },
    get clients() {
      return clients;
    },
  };
};
