import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { inspector, redisServer, proxyTo } from '../redis-server.test.support.ts';
import { eventually } from './exchange.test.support.ts';
import { InstanceProcess } from './instance-process.test.support.ts';

export const pass = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** A seeded pseudo-random number generator (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  oneOf<T>(all: readonly T[]): T {
    return all[this.below(all.length)]!;
  }

  shuffled<T>(all: readonly T[]): readonly T[] {
    return all
      .map((one) => ({ one, at: this.next() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ one }) => one);
  }
}

/** An exchange in a separate process, with its own proxy to Redis and its own Redis user. */
export interface Instance {
  readonly name: string;
  readonly process: InstanceProcess;
  readonly proxy: Awaited<ReturnType<typeof proxyTo>>;
}

/** An ACL rule that reduces the rights of a Redis user. */
export type Rule = '-getrange -xrange' | '-xdel' | '-set' | '-evalsha' | '-publish' | '-subscribe' | 'resetchannels';

export interface Fault {
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
}

interface ClusterSettings {
  readonly random: Random;
  readonly settlingMs: number;
  readonly onDelivered: (owner: string, id: string, callback: string) => void;
  readonly note: (event: string) => void;
}

const maxInstances = 40;

/** Starts a Redis with persistence, which loads its data slowly and has one user per instance. */
const startRedis = async (test: TestContext, emptyDir: () => Promise<string>) => {
  const names = Array.from({ length: maxInstances }, (_, nth) => `instance-${nth}`);
  const aclfile = join(await emptyDir(), 'users.acl');
  await writeFile(aclfile, ['default', ...names].map((name) => `user ${name} on nopass ~* &* +@all\n`).join(''));
  const options = { dir: await emptyDir(), aclfile, appendonly: 'yes', appendfsync: 'no', 'key-load-delay': 1000 };
  return redisServer(test, true, options);
};

/** Instances, one Redis, and the faults between them. */
export class Cluster {
  readonly instances: Instance[] = [];
  /** The times at which Redis lost its data. */
  readonly lossesAt: number[] = [];
  /** A connection without faults. */
  readonly observer: Awaited<ReturnType<typeof inspector>>;
  readonly #test: TestContext;
  readonly #redis: Awaited<ReturnType<typeof redisServer>>;
  readonly #emptyDir: () => Promise<string>;
  readonly #settings: ClusterSettings;

  private constructor(
    test: TestContext,
    redis: Awaited<ReturnType<typeof redisServer>>,
    observer: Awaited<ReturnType<typeof inspector>>,
    emptyDir: () => Promise<string>,
    settings: ClusterSettings,
  ) {
    this.#test = test;
    this.#redis = redis;
    this.observer = observer;
    this.#emptyDir = emptyDir;
    this.#settings = settings;
  }

  static async start(test: TestContext, settings: ClusterSettings): Promise<Cluster> {
    const emptyDir = async () => {
      const dir = await mkdtemp(join(tmpdir(), 'portico-redis-'));
      test.onTestFinished(() => rm(dir, { recursive: true, force: true }));
      return dir;
    };
    const redis = await startRedis(test, emptyDir);
    return new Cluster(test, redis, await inspector(test, redis), emptyDir, settings);
  }

  get running(): readonly Instance[] {
    return this.instances.filter(({ process }) => process.isAlive);
  }

  get nextName(): string {
    return `instance-${this.instances.length}`;
  }

  async launch(): Promise<Instance> {
    const { onDelivered, note, settlingMs } = this.#settings;
    if (this.instances.length === maxInstances) throw new Error('no Redis users left');
    const name = this.nextName;
    const proxy = await proxyTo(this.#test, this.#redis);
    const url = proxy.url.replace('://', `://${name}:any@`);
    const process = new InstanceProcess({ url, settlingMs }, (id, callback) => onDelivered(name, id, callback));
    this.#test.onTestFinished(() => (process.isAlive ? process.kill() : undefined));
    const instance = { name, process, proxy };
    this.instances.push(instance);
    note(`${name} starts`);
    return instance;
  }

  async kill({ name, process }: Instance): Promise<void> {
    this.#settings.note(`${name} is killed`);
    await process.kill();
  }

  /** Removes an unread callback, like a Redis that evicts keys. Returns whether there was one. */
  async evict(id: string): Promise<boolean> {
    const count = await this.observer.del(`portico:{${id}}:callback`);
    if (count > 0) this.#settings.note(`the callback of ${id} is evicted`);
    return count > 0;
  }

  /** Redis is killed, and later starts without its data. */
  readonly dataLoss = this.#fault(
    'Redis is restarted and has lost its data',
    async () => {
      await this.#redis.stop();
      this.lossesAt.push(performance.now());
    },
    async () => this.#redis.start({ dir: await this.#emptyDir() }),
  );

  readonly slowRestart = this.#fault(
    'Redis is restarted and loads its data',
    async () => {
      await this.#waitUntilLoaded();
      const keys = this.#settings.random.between(200, 1200);
      await this.observer.eval(`for i = 1, ${keys} do redis.call('SET', 'filler' .. i, i) end`);
      await this.#redis.stop();
    },
    () => this.#redis.start(),
  );

  readonly outOfMemory = this.#fault(
    'Redis is full',
    () => this.observer.configSet('maxmemory', '1'),
    () => this.observer.configSet('maxmemory', '0'),
  );

  /** Redis becomes a replica of an unreachable master, like after a failed failover. */
  readonly replicaRole = this.#fault(
    'Redis is a replica',
    async () => {
      await this.#waitUntilLoaded();
      await this.observer.sendCommand(['REPLICAOF', '127.0.0.1', '1']);
    },
    () => this.observer.sendCommand(['REPLICAOF', 'NO', 'ONE']),
  );

  readonly stoppedProcess = this.#fault(
    'Redis is stopped (SIGSTOP)',
    async () => this.#redis.pause(),
    async () => this.#redis.resume(),
  );

  disconnection({ name, proxy }: Instance): Fault {
    return this.#fault(
      `${name} is disconnected`,
      async () => proxy.disconnect(),
      async () => proxy.reconnect(),
    );
  }

  replyLoss({ name, proxy }: Instance): Fault {
    return this.#fault(
      `${name} gets no replies`,
      async () => proxy.holdReplies(),
      async () => proxy.releaseReplies(),
    );
  }

  /** The connection stays open but transfers nothing; at the end it is reset. */
  frozenConnection({ name, proxy }: Instance): Fault {
    return this.#fault(
      `${name} has a frozen connection`,
      async () => proxy.freeze(),
      async () => {
        proxy.disconnect();
        proxy.reconnect();
      },
    );
  }

  /** The Redis user of one instance lacks rights. */
  reducedRights(name: string, rule: Rule): Fault {
    return this.#fault(
      `${name} has the rights ${rule}`,
      () => this.#setRights(name, ...rule.split(' ')),
      () => this.#setRights(name, 'allchannels', '+@all'),
    );
  }

  /** Retries, because Redis may be stopped. */
  async #setRights(name: string, ...rules: readonly string[]): Promise<void> {
    await eventually(() => this.observer.sendCommand(['ACL', 'SETUSER', name, ...rules]), 'OK');
  }

  /** Waits until Redis has loaded its data, because it refuses the commands that start some faults before. */
  async #waitUntilLoaded(): Promise<void> {
    await eventually(() => this.observer.ping(), 'PONG');
  }

  #fault(name: string, begin: () => Promise<unknown>, end: () => Promise<unknown>): Fault {
    return {
      begin: () => {
        this.#settings.note(`${name}: begins`);
        return begin();
      },
      end: async () => {
        this.#settings.note(`${name}: ends`);
        await end();
      },
    };
  }
}
