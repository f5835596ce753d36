import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeClock } from '@portico/core/testing';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { redisLimiterClient, redisRateLimiter } from '../rate-limiter.ts';
import {
  commandsOf,
  hasRedis,
  inspector,
  redisServer,
  type RedisServer,
  wireTo,
} from '../redis-server.test.support.ts';
import {
  anInstance,
  callback,
  connected,
  eventually,
  instances,
  overloaded,
  type Test,
  waitingAt,
} from './exchange.test.support.ts';

/** Keeps the event loop busy, so that timers and replies become due together. */
const busyFor = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

/** Options of a Redis that keeps its data over restarts, and takes about two seconds to load them. */
const slowToLoad = async ({ onTestFinished }: Test) => {
  const dir = await mkdtemp(join(tmpdir(), 'portico-redis-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return { dir, appendonly: 'yes', appendfsync: 'always', 'key-load-delay': 1000 };
};

/** Restarts a Redis that has data: from now on it takes connections and replies `-LOADING`. */
const restartLoading = async (test: Test, redis: RedisServer): Promise<void> => {
  const look = await inspector(test, redis);
  await look.eval("for i = 1, 2000 do redis.call('SET', 'filler' .. i, i) end");
  look.destroy();
  await redis.stop();
  await redis.start();
};

describe.skipIf(!hasRedis).concurrent('after a restart of a Redis that loads its data', () => {
  it('a callback that was placed before the restart is delivered', async (test) => {
    const redis = await redisServer(test, true, await slowToLoad(test));
    const wire = await wireTo(test, redis);
    const home = anInstance(test, wire, { settlingMs: 5000 });
    const [elsewhere] = await instances(test, redis, 1, { settlingMs: 5000 });
    await connected(home);
    const { id, delivered } = await waitingAt(home, 'placed', 30_000);
    wire.cut();
    await eventually(() => home.trouble !== undefined, true);
    expect(await elsewhere.offer(id, callback)).toEqual(ok('delivered'));
    wire.mend();
    await restartLoading(test, redis);
    await eventually(() => delivered, [callback]);
  });

  it('a leg that Redis lost is registered again, and no callback for it is dropped meanwhile', async (test) => {
    const redis = await redisServer(test, true, await slowToLoad(test));
    const [home, elsewhere] = await instances(test, redis, 2, { settlingMs: 5000 });
    const { id, delivered } = await waitingAt(home, 'lost', 60_000);
    const look = await inspector(test, redis);
    await look.del(`portico:{${id}}:leg`);
    look.destroy();
    await restartLoading(test, redis);
    await eventually(async () => {
      const fate = await elsewhere.offer(id, callback);
      expect(fate).not.toEqual(ok('unknown'));
      return fate.isOk();
    }, true);
    await eventually(() => delivered, [callback]);
  });
});

describe.skipIf(!hasRedis).concurrent('a new instance', () => {
  it('does not drop a callback whose owner is still on its way back to an emptied Redis', async (test) => {
    const redis = await redisServer(test);
    const wire = await wireTo(test, redis);
    const home = anInstance(test, wire);
    await connected(home);
    const { id, delivered } = await waitingAt(home);
    wire.cut();
    await redis.stop();
    await redis.start();
    const [fresh] = await instances(test, redis, 1, { settlingMs: 60_000 });
    expect(await fresh.offer(id, callback)).toEqual(overloaded);
    wire.mend();
    await connected(home);
    await eventually(async () => (await fresh.offer(id, callback)).isOk(), true);
    await eventually(() => delivered, [callback]);
  });

  it('acknowledges a callback with an unknown id once the others have had time to register theirs', async (test) => {
    const redis = await redisServer(test);
    const [fresh] = await instances(test, redis, 1, { settlingMs: 50 });
    await eventually(async () => fresh.offer('stranger', callback), ok('unknown'));
  });
});

/** The commands that docs/scaling.md names. */
const rights = ['+@read', '+@write', '+@pubsub', '+@scripting', '+@connection'];

const asUser = async (test: Test) => {
  const redis = await redisServer(test);
  const look = await inspector(test, redis);
  await look.sendCommand(['ACL', 'SETUSER', 'portico', 'on', '>pw', '~portico:*', ...rights, 'resetchannels']);
  const url = redis.url.replace('redis://', 'redis://portico:pw@');
  return { redis, look, url };
};

describe.skipIf(!hasRedis).concurrent('a Redis user without rights on the channels', () => {
  const noChannel =
    'Redis does not let this user publish and subscribe: callbacks for other instances are refused or late';

  it('is reported, and a callback for another instance is refused rather than acknowledged and lost', async (test) => {
    const { url } = await asUser(test);
    const [home, elsewhere] = [anInstance(test, { url }), anInstance(test, { url })];
    await eventually(() => [home.trouble, elsewhere.trouble], [noChannel, noChannel]);
    const { id, delivered } = await waitingAt(home);
    expect(await elsewhere.offer(id, callback)).toEqual(overloaded);
    expect(await elsewhere.offer(id, callback)).toEqual(overloaded);
    expect(await home.offer(id, callback)).toEqual(ok('delivered'));
    expect(delivered).toEqual([callback]);
  });

  it('still gets a callback that an instance with the rights has placed', async (test) => {
    const { redis, url } = await asUser(test);
    const home = anInstance(test, { url });
    const [elsewhere] = await instances(test, redis, 1);
    await eventually(() => home.trouble, noChannel);
    const { id, delivered } = await waitingAt(home);
    expect(await elsewhere.offer(id, callback)).toEqual(ok('delivered'));
    await eventually(() => delivered, [callback]);
  });

  it('is healthy as soon as the rights are given', async (test) => {
    const { look, url } = await asUser(test);
    const home = anInstance(test, { url });
    await eventually(() => home.trouble, noChannel);
    await look.sendCommand(['ACL', 'SETUSER', 'portico', '&portico:*']);
    await connected(home);
  });
});

describe.skipIf(!hasRedis).concurrent('a callback at the instance where its search waits', () => {
  it('is delivered when Redis has decided for an earlier one and lost it', async (test) => {
    const redis = await redisServer(test);
    const wire = await wireTo(test, redis);
    const home = anInstance(test, wire);
    const [elsewhere] = await instances(test, redis, 1);
    await connected(home);
    const { id, delivered } = await waitingAt(home);
    wire.cut();
    await eventually(() => home.trouble !== undefined, true);
    await elsewhere.offer(id, '{"first":true}');
    const look = await inspector(test, redis);
    await look.del(`portico:{${id}}:callback`);
    wire.mend();
    await connected(home);
    expect(await home.offer(id, callback)).toEqual(ok('delivered'));
    expect(delivered).toEqual([callback]);
  });
});

describe.skipIf(!hasRedis)('a busy event loop', () => {
  it('is not taken for a slow Redis by the exchange', async (test) => {
    const redis = await redisServer(test);
    const [home, elsewhere] = await instances(test, redis, 2, { commandTimeoutMs: 100 });
    for (let round = 0; round < 5; round++) {
      const { id, delivered } = await waitingAt(home);
      const offered = elsewhere.offer(id, callback);
      await new Promise((resolve) => setImmediate(resolve)); // the command is on the wire
      busyFor(200);
      expect(await offered).toEqual(ok('delivered'));
      expect(elsewhere.trouble).toBeUndefined();
      await eventually(() => delivered, [callback]);
    }
  });

  it('is not taken for a slow Redis by the rate limiter', async (test) => {
    const redis = await redisServer(test);
    const client = redisLimiterClient(redis.url);
    test.onTestFinished(() => client.close());
    await eventually(() => client.isReady, true);
    const used = redisRateLimiter({ client, requests: 1, seconds: 600, waitMs: 100 });
    expect(await used.take('caller')).toEqual({ isAllowed: true });
    // Another limiter on the same keys, as on another instance, which does not remember the caller itself.
    const limiter = redisRateLimiter({ client, requests: 1, seconds: 600, waitMs: 100 });
    const taken = limiter.take('caller');
    await new Promise((resolve) => setImmediate(resolve));
    busyFor(200);
    expect(await taken).toMatchObject({ isAllowed: false });
    expect(limiter.trouble).toBeUndefined();
  });
});

describe.skipIf(!hasRedis).concurrent('a Redis that is full', () => {
  it('stays reported however many reads succeed, without a flood of commands', async (test) => {
    const redis = await redisServer(test);
    const [home] = await instances(test, redis, 1);
    const look = await inspector(test, redis);
    await look.configSet('maxmemory', '1');
    const { take } = await commandsOf(test, redis);
    for (let nth = 0; nth < 20; nth++) {
      expect(await home.offer(`stranger-${nth}`, callback)).toEqual(overloaded);
      expect(home.trouble).toMatch(/^Redis refuses writes/);
    }
    expect((await take()).filter((command) => /^"(?:GET|SET)"/i.test(command)).length).toBeLessThan(30);
  });

  it('keeps its connection, because a refusal is a reply', async (test) => {
    const redis = await redisServer(test);
    const look = await inspector(test, redis);
    const [home] = await instances(test, redis, 1);
    const connections = async () => Number(/total_connections_received:(\d+)/.exec(await look.info('stats'))?.[1]);
    await look.configSet('maxmemory', '1');
    await waitingAt(home);
    const before = await connections();
    const probes = async () => Number(/cmdstat_set:.*rejected_calls=(\d+)/.exec(await look.info('commandstats'))?.[1]);
    const refused = await probes();
    // By then a connection without any reply would have been replaced more than once.
    await eventually(async () => (await probes()) - refused >= 7, true);
    expect(await connections()).toBe(before);
    await look.configSet('maxmemory', '0');
    await connected(home);
  });
});

describe('options of a connection', () => {
  it('are not shared between plain and encrypted connections of one process', () => {
    redisLimiterClient('redis://127.0.0.1:1')
      .close()
      .catch(() => {});
    const encrypted = redisLimiterClient('rediss://user:secret@127.0.0.1:1');
    expect(encrypted.isReady).toBe(false);
    encrypted.close().catch(() => {});
  });
});

describe.skipIf(!hasRedis).concurrent('callbacks on their way to a silent Redis', () => {
  it('are bounded in memory: the one beyond the bound is refused at once', async (test) => {
    const redis = await redisServer(test);
    const [exchange] = await instances(test, redis, 1, { clock: fakeClock() });
    redis.pause();
    test.onTestFinished(redis.resume);
    const large = JSON.stringify({ filler: 'x'.repeat(5 * 1024 * 1024) });
    // No timer of a fake clock fires, so these wait for Redis.
    const waiting = Array.from({ length: 12 }, (_, nth) => exchange.offer(`stranger-${nth}`, large));
    expect(await exchange.offer('one too many', large)).toEqual(overloaded);
    redis.resume();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => ok('unknown')));
    expect(await exchange.offer('the next one', large)).toEqual(ok('unknown'));
  });
});
