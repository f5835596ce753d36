import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { inspector, redisServer, wireTo } from '../redis-server.test.support.ts';
import { eventually } from './exchange.test.support.ts';
import { InstanceProcess } from './instance-process.test.support.ts';

export const pass = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** Random numbers that are the same for the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to 1. */
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

/** An exchange in a process of its own, with its own connection to Redis and its own Redis user. */
export interface Instance {
  readonly name: string;
  readonly process: InstanceProcess;
  readonly wire: Awaited<ReturnType<typeof wireTo>>;
}

/** How the rights of a Redis user are reduced. */
export type Rule = '-get' | '-set' | '-evalsha' | '-publish' | '-subscribe' | 'resetchannels';

export interface Fault {
  readonly name: string;
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

/** A Redis on disk that takes a moment to load its data, and has one user for each instance. */
const startRedis = async (test: TestContext, emptyDir: () => Promise<string>) => {
  const names = Array.from({ length: maxInstances }, (_, nth) => `instance-${nth}`);
  const aclfile = join(await emptyDir(), 'users.acl');
  await writeFile(aclfile, ['default', ...names].map((name) => `user ${name} on nopass ~* &* +@all\n`).join(''));
  const options = { dir: await emptyDir(), aclfile, appendonly: 'yes', appendfsync: 'no', 'key-load-delay': 1000 };
  return redisServer(test, true, options);
};

/** Instances with one real Redis, and what can go wrong between them. */
export class Cluster {
  readonly instances: Instance[] = [];
  /** When Redis lost its data. */
  readonly lossesAt: number[] = [];
  /** A connection on which there are no faults. */
  readonly look: Awaited<ReturnType<typeof inspector>>;
  readonly #test: TestContext;
  readonly #redis: Awaited<ReturnType<typeof redisServer>>;
  readonly #emptyDir: () => Promise<string>;
  readonly #settings: ClusterSettings;

  private constructor(
    test: TestContext,
    redis: Awaited<ReturnType<typeof redisServer>>,
    look: Awaited<ReturnType<typeof inspector>>,
    emptyDir: () => Promise<string>,
    settings: ClusterSettings,
  ) {
    this.#test = test;
    this.#redis = redis;
    this.look = look;
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

  get living(): readonly Instance[] {
    return this.instances.filter(({ process }) => process.isAlive);
  }

  get nameOfNext(): string {
    return `instance-${this.instances.length}`;
  }

  async launch(): Promise<Instance> {
    const { onDelivered, note, settlingMs } = this.#settings;
    if (this.instances.length === maxInstances) throw new Error('there are no more users');
    const name = this.nameOfNext;
    const wire = await wireTo(this.#test, this.#redis);
    const url = wire.url.replace('://', `://${name}:any@`);
    const process = new InstanceProcess({ url, settlingMs }, (id, callback) => onDelivered(name, id, callback));
    this.#test.onTestFinished(() => (process.isAlive ? process.kill() : undefined));
    const instance = { name, process, wire };
    this.instances.push(instance);
    note(`${name} starts`);
    return instance;
  }

  async kill({ name, process }: Instance): Promise<void> {
    this.#settings.note(`${name} is killed`);
    await process.kill();
  }

  /** Removes a callback that was not read yet, as a Redis does that evicts keys when its memory is used up. */
  async evict(id: string): Promise<boolean> {
    const count = await this.look.del(`portico:{${id}}:callback`);
    if (count > 0) this.#settings.note(`the callback of ${id} is evicted`);
    return count > 0;
  }

  /** Redis ends at once, and later starts without its data. */
  readonly losesData = this.#fault(
    'Redis is restarted and has lost its data',
    async () => {
      await this.#redis.stop();
      this.lossesAt.push(performance.now());
    },
    async () => this.#redis.start({ dir: await this.#emptyDir() }),
  );

  readonly isDown = this.#fault(
    'Redis is restarted and loads its data',
    async () => {
      await this.#loaded();
      const keys = this.#settings.random.between(200, 1200);
      await this.look.eval(`for i = 1, ${keys} do redis.call('SET', 'filler' .. i, i) end`);
      await this.#redis.stop();
    },
    () => this.#redis.start(),
  );

  readonly isFull = this.#fault(
    'Redis is full',
    () => this.look.configSet('maxmemory', '1'),
    () => this.look.configSet('maxmemory', '0'),
  );

  /** Of a Redis that is gone: a failover that has gone wrong. */
  readonly isReplica = this.#fault(
    'Redis is a replica',
    async () => {
      await this.#loaded();
      await this.look.sendCommand(['REPLICAOF', '127.0.0.1', '1']);
    },
    () => this.look.sendCommand(['REPLICAOF', 'NO', 'ONE']),
  );

  readonly isPaused = this.#fault(
    'Redis is paused',
    async () => this.#redis.pause(),
    async () => this.#redis.resume(),
  );

  isCutOff({ name, wire }: Instance): Fault {
    return this.#fault(
      `${name} is cut off`,
      async () => wire.cut(),
      async () => wire.mend(),
    );
  }

  getsNoReplies({ name, wire }: Instance): Fault {
    return this.#fault(
      `${name} gets no replies`,
      async () => wire.hold(),
      async () => wire.discard(),
    );
  }

  /** Its connection stays open and carries nothing; at the end it is reset. */
  isDead({ name, wire }: Instance): Fault {
    return this.#fault(
      `${name} has a dead connection`,
      async () => wire.kill(),
      async () => {
        wire.cut();
        wire.mend();
      },
    );
  }

  /** The rights of the Redis user of one instance are reduced by mistake. */
  mayNot(name: string, rule: Rule): Fault {
    return this.#fault(
      `${name} has the rights ${rule}`,
      () => this.#setRights(name, rule),
      () => this.#setRights(name, 'allchannels', '+@all'),
    );
  }

  /** Repeated, because Redis may be stopped meanwhile. */
  async #setRights(name: string, ...rules: readonly string[]): Promise<void> {
    await eventually(() => this.look.sendCommand(['ACL', 'SETUSER', name, ...rules]), 'OK');
  }

  /** While Redis loads its data, it refuses the commands with which some faults begin. */
  async #loaded(): Promise<void> {
    await eventually(() => this.look.ping(), 'PONG');
  }

  #fault(name: string, begin: () => Promise<unknown>, end: () => Promise<unknown>): Fault {
    return {
      name,
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
