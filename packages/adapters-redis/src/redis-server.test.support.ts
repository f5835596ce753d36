import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { createClient } from '@redis/client';
import getPort from 'get-port';
import type { TestContext } from 'vitest';

type Test = Pick<TestContext, 'onTestFinished'>;

/** Whether there is a `redis-server` to be tested against. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis)
  process.stderr.write('SKIPPED: what needs a real Redis is not tested, because redis-server is not installed\n');

const loopback = '127.0.0.1';

export type RedisOptions = Readonly<Record<string, string | number>>;

/** A Redis without a disk, unless its options name one. Gives nothing when the port is taken. */
const launch = async (port: number, options: RedisOptions) => {
  const settings = { port, bind: loopback, save: '', appendonly: 'no', dir: tmpdir(), ...options };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const isReady = new Promise<boolean>((resolve) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (/Ready to accept connections|Reading RDB base file|DB loaded from append/.test(said)) resolve(true);
    });
    child.once('close', () => resolve(false));
  });
  return (await isReady) ? { child, ended } : undefined;
};

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Starts it again on the same port, empty unless its options name a disk; resolves when it takes connections. */
  start(options?: RedisOptions): Promise<void>;
  /** Ends it at once. */
  stop(): Promise<void>;
  /** Connections stay, answers do not come (SIGSTOP). */
  pause(): void;
  resume(): void;
}

/** A real Redis on loopback, which the caller has to stop. */
export const startRedis = async ({
  isStarted = true,
  options = {},
}: { readonly isStarted?: boolean; readonly options?: RedisOptions } = {}): Promise<RedisServer> => {
  let port = await getPort();
  let running: Awaited<ReturnType<typeof launch>>;
  if (isStarted)
    for (let tries = 0; !running; tries++) {
      if (tries === 5) throw new Error('redis-server does not start');
      running = await launch(port, options);
      if (!running) port = await getPort();
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

/** A real Redis that lives as long as the test. */
export const redisServer = async (
  { onTestFinished }: Test,
  isStarted = true,
  options: RedisOptions = {},
): Promise<RedisServer> => {
  const redis = await startRedis({ isStarted, options });
  onTestFinished(redis.stop);
  return redis;
};

/** A plain client, to look into a Redis with. */
export const inspector = async ({ onTestFinished }: Test, { url }: Pick<RedisServer, 'url'>) => {
  const client = createClient({ url, socket: { reconnectStrategy: () => 20 } });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.destroy());
  return client;
};

/** What clients send to a Redis, without what scripts do there and what keeps a connection. */
export const commandsOf = async (test: Test, redis: RedisServer) => {
  const commands: string[] = [];
  const watcher = await inspector(test, redis);
  const speaker = await inspector(test, redis);
  await watcher.monitor((line) => {
    const [, source = '', command = ''] = /^\S+ \[\d+ (\S+)\] (.*)$/s.exec(line) ?? [];
    if (source !== 'lua' && !/^"(?:ping|hello|client|subscribe|info|monitor)"/i.test(command)) commands.push(command);
  });
  let marks = 0;
  return {
    /** What was sent until now, and begins anew. */
    take: async (): Promise<readonly string[]> => {
      const mark = `mark-${++marks}`;
      await speaker.echo(mark);
      while (!commands.some((command) => command.includes(mark))) await new Promise((resolve) => setImmediate(resolve));
      return commands.splice(0).filter((command) => !command.startsWith('"ECHO"'));
    },
  };
};

/** A wire to a Redis that can be cut, held, or left dead without a word. */
export const wireTo = async ({ onTestFinished }: Test, redis: RedisServer) => {
  const open = new Set<Socket>();
  let isCut = false;
  let isHeld = false;
  let held: (() => void)[] = [];
  let dead = new WeakSet<Socket>();
  let hear: ((asked: string) => void) | undefined;
  const cut = () => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(redis.port, loopback);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on('error', () => {});
      one.once('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
    near.on('data', (chunk: Buffer) => {
      hear?.(chunk.toString());
      if (!dead.has(near)) far.write(chunk);
    });
    far.on('data', (chunk: Buffer) => {
      const pass = () => void near.write(chunk);
      if (isHeld) held.push(pass);
      else if (!dead.has(near)) pass();
    });
  });
  await once(server.listen(0, loopback), 'listening');
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    url: `redis://${loopback}:${(server.address() as AddressInfo).port}`,
    /** Ends every connection, and takes no other. */
    cut,
    /** Takes connections again. */
    mend: () => {
      isCut = false;
    },
    /** Keeps back what Redis answers. */
    hold: () => {
      isHeld = true;
    },
    discard: () => {
      isHeld = false;
      for (const pass of held.splice(0)) pass();
    },
    /** Whatever is open stays open, and carries nothing any more. */
    kill: () => {
      dead = new WeakSet(open);
    },
    onAsked: (listener?: (asked: string) => void) => {
      hear = listener;
    },
  };
};
