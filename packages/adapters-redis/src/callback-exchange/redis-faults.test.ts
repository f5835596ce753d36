import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import type { RedisCallbackExchange, RedisExchangeSettings } from './exchange.ts';
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
    await eventually(() => home.degradedReason !== undefined, true);
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

/** An owner whose connection can be cut, another instance, and a leg that waits at the owner. */
const apart = async (test: Test, settings: Partial<RedisExchangeSettings> = {}, isVerifiedOnly = false) => {
  const redis = await redisServer(test);
  const wire = await wireTo(test, redis);
  const home = anInstance(test, wire, { settlingMs: 60_000, ...settings });
  const [elsewhere, third] = await instances(test, redis, 2, { settlingMs: 60_000, ...settings });
  await connected(home);
  const delivered: string[] = [];
  const deliver = (text: string) => void delivered.push(text);
  const transactionId = 'waiting';
  await home.expect([{ transactionId, legId: 'moa', isVerifiedOnly, deliver }], 60_000);
  wire.cut();
  await eventually(() => home.degradedReason !== undefined, true);
  return { redis, wire, elsewhere, third, id: transactionId, legKey: `portico:{${transactionId}}:leg`, delivered };
};

/** Redis loses its data. */
const restartEmpty = async (redis: RedisServer): Promise<void> => {
  await redis.stop();
  await redis.start();
};

describe.skipIf(!hasRedis).concurrent('a callback that Redis loses before its owner has read it', () => {
  it('is delivered although Redis loses it twice', async (test) => {
    const { redis, wire, elsewhere, id, legKey, delivered } = await apart(test);
    expect(await elsewhere.offer(id, callback)).toEqual(ok('delivered'));
    await restartEmpty(redis);
    const look = await inspector(test, redis);
    await look.set(legKey, 'wanother', { expiration: { type: 'PX', value: 60_000 } });
    await eventually(() => look.get(legKey), 'd'); // handed over again
    await restartEmpty(redis);
    wire.mend();
    await eventually(() => delivered, [callback]);
  });

  it('is delivered by the instance that acknowledged it as a duplicate, when the first one is gone', async (test) => {
    const { redis, wire, elsewhere, third, id, delivered } = await apart(test);
    expect(await third.offer(id, '{"first":true}')).toEqual(ok('delivered'));
    await third.close();
    expect(await elsewhere.offer(id, callback)).toEqual(ok('duplicate'));
    await restartEmpty(redis);
    wire.mend();
    await eventually(() => delivered, [callback]);
  });

  it('is not replaced by an unverified duplicate when its leg takes verified callbacks only', async (test) => {
    const { redis, wire, elsewhere, third, id, legKey, delivered } = await apart(test, {}, true);
    expect(await third.offer(id, callback, true)).toEqual(ok('delivered'));
    await third.close();
    expect(await elsewhere.offer(id, '{"forged":true}')).toEqual(ok('duplicate'));
    await restartEmpty(redis);
    wire.mend();
    const look = await inspector(test, redis);
    await eventually(async () => (await look.get(legKey))?.startsWith('v'), true);
    await eventually(async () => (await elsewhere.offer(id, callback, true)).isOk(), true);
    await eventually(() => delivered, [callback]);
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
    await eventually(() => [home.degradedReason, elsewhere.degradedReason], [noChannel, noChannel]);
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
    await eventually(() => home.degradedReason, noChannel);
    const { id, delivered } = await waitingAt(home);
    expect(await elsewhere.offer(id, callback)).toEqual(ok('delivered'));
    await eventually(() => delivered, [callback]);
  });

  it('is healthy as soon as the rights are given', async (test) => {
    const { look, url } = await asUser(test);
    const home = anInstance(test, { url });
    await eventually(() => home.degradedReason, noChannel);
    await look.sendCommand(['ACL', 'SETUSER', 'portico', '&portico:*']);
    await connected(home);
  });
});

describe.skipIf(!hasRedis).concurrent('a callback that Redis refuses to hand out', () => {
  it('is reported, and delivered as soon as Redis hands it out', async (test) => {
    const { redis, look, url } = await asUser(test);
    await look.sendCommand(['ACL', 'SETUSER', 'portico', '&portico:*', '-get']);
    const home = anInstance(test, { url });
    const [elsewhere] = await instances(test, redis, 1);
    await connected(home);
    const { id, delivered } = await waitingAt(home);
    expect(await elsewhere.offer(id, callback)).toEqual(ok('delivered'));
    await eventually(() => home.degradedReason?.startsWith('Redis refuses'), true);
    await look.sendCommand(['ACL', 'SETUSER', 'portico', '+get']);
    await eventually(() => delivered, [callback]);
  });

  it('is delivered later also when it was placed while its owner was away', async (test) => {
    const { redis, look, url } = await asUser(test);
    await look.sendCommand(['ACL', 'SETUSER', 'portico', '&portico:*', '-get']);
    const wire = await wireTo(test, redis);
    const { username, password } = new URL(url);
    const home = anInstance(test, { url: wire.url.replace('://', `://${username}:${password}@`) });
    const [elsewhere] = await instances(test, redis, 1);
    await connected(home);
    const { id, delivered } = await waitingAt(home);
    wire.cut();
    await eventually(() => home.degradedReason?.startsWith('Redis cannot be reached'), true);
    expect(await elsewhere.offer(id, callback)).toEqual(ok('delivered'));
    wire.mend();
    await eventually(() => home.degradedReason?.startsWith('Redis refuses'), true);
    await look.sendCommand(['ACL', 'SETUSER', 'portico', '+get']);
    await eventually(() => delivered, [callback]);
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
    await eventually(() => home.degradedReason !== undefined, true);
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
      expect(elsewhere.degradedReason).toBeUndefined();
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
    expect(limiter.degradedReason).toBeUndefined();
  });
});

describe.skipIf(!hasRedis).concurrent('a Redis that is full', () => {
  it('stays reported however many reads succeed, without a flood of commands', async (test) => {
    const redis = await redisServer(test);
    const [home] = await instances(test, redis, 1, { settlingMs: 60_000 });
    const look = await inspector(test, redis);
    await look.configSet('maxmemory', '1');
    await waitingAt(home); // refused; only reads follow
    const { take } = await commandsOf(test, redis);
    for (let nth = 0; nth < 20; nth++) {
      expect(await home.offer(`stranger-${nth}`, callback)).toEqual(overloaded);
      expect(home.degradedReason).toMatch(/^Redis refuses writes/);
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

describe.skipIf(!hasRedis).concurrent('many large callbacks at once', () => {
  const large = JSON.stringify({ filler: 'x'.repeat(5 * 1024 * 1024) });
  const offers = (exchange: RedisCallbackExchange) =>
    Promise.all(Array.from({ length: 12 }, (_, nth) => exchange.offer(`stranger-${nth}`, large)));

  it('wait for each other, and each of them reaches Redis', async (test) => {
    const [exchange] = await instances(test, await redisServer(test), 1);
    expect(await offers(exchange)).toEqual(Array.from({ length: 12 }, () => ok('unknown')));
  });

  it('are refused when Redis is found to be silent, and are not all in memory as commands', async (test) => {
    const redis = await redisServer(test);
    const [exchange] = await instances(test, redis, 1, { commandTimeoutMs: 100 });
    redis.pause();
    test.onTestFinished(redis.resume);
    expect(await offers(exchange)).toEqual(Array.from({ length: 12 }, () => overloaded));
    redis.resume();
    const look = await inspector(test, redis);
    await connected(exchange);
    const received = Number(/total_net_input_bytes:(\d+)/.exec(await look.info('stats'))?.[1]);
    expect(received).toBeLessThan(16 * 1024 * 1024);
  });
});
