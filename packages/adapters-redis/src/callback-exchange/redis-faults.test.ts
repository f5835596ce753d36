import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Expectation, pairingOf } from '@portico/core';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { redisCommandClient } from '../connection/command-client.ts';
import { redisRateLimiter } from '../rate-limiter.ts';
import {
  bytesReceived,
  commandsOf,
  connectionsReceived,
  hasRedis,
  inspector,
  redisServer,
  type RedisServer,
  proxyTo,
  readyConnection,
  type Test,
  userWith,
} from '../redis-server.test.support.ts';
import type { RedisCallbackExchange } from './exchange.ts';
import {
  anInstance,
  callback,
  clockFasterBy,
  connected,
  eventually,
  instances,
  overloaded,
  waitingAt,
} from './exchange.test.support.ts';

/** Longer than Redis needs for a reply, also on a busy machine. */
const timeoutMs = 1000;

/** Blocks the event loop, so that the timeout and the reply become due together. */
const blockEventLoop = (): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs * 1.2);
};

/** Options of a Redis that persists its data and takes about two seconds to load them. */
const slowToLoad = async ({ onTestFinished }: Test) => {
  const dir = await mkdtemp(join(tmpdir(), 'portico-redis-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return { dir, appendonly: 'yes', appendfsync: 'always', 'key-load-delay': 1000 };
};

/** Restarts a Redis with data: it accepts connections at once and replies `-LOADING`. */
const restartLoading = async (test: Test, redis: RedisServer): Promise<void> => {
  const observer = await inspector(test, redis);
  await observer.eval("for i = 1, 2000 do redis.call('SET', 'filler' .. i, i) end");
  observer.destroy();
  await redis.stop();
  await redis.start();
};

describe.skipIf(!hasRedis).concurrent('redisCallbackExchange after a restart of Redis with persistence', () => {
  it('delivers a callback that was stored before the restart', async (test) => {
    const redis = await redisServer(test, true, await slowToLoad(test));
    const proxy = await proxyTo(test, redis);
    const owner = anInstance(test, proxy, { settlingMs: 5000 });
    const [remote] = await instances(test, redis, 1, { settlingMs: 5000 });
    await connected(owner);
    const { id, delivered } = await waitingAt(owner, 'placed', 30_000);
    proxy.disconnect();
    await eventually(() => owner.degradedReason !== undefined, true);
    expect(await remote.offer(id, callback)).toEqual(ok('delivered'));
    await restartLoading(test, redis);
    proxy.reconnect();
    await eventually(() => delivered, [callback]);
  });

  it('registers a lost leg again and drops no callback for it meanwhile', async (test) => {
    const redis = await redisServer(test, true, await slowToLoad(test));
    const [owner, remote] = await instances(test, redis, 2, { settlingMs: 5000 });
    const { id, delivered } = await waitingAt(owner, 'lost', 60_000);
    const observer = await inspector(test, redis);
    await observer.del(`portico:{${id}}:leg`);
    observer.destroy();
    await restartLoading(test, redis);
    const outcomes: unknown[] = [];
    await eventually(async () => {
      const outcome = await remote.offer(id, callback);
      outcomes.push(outcome);
      return outcome.isOk();
    }, true);
    expect(outcomes).not.toContainEqual(ok('unknown'));
    await eventually(() => delivered, [callback]);
  });
});

describe.skipIf(!hasRedis).concurrent('a new instance', () => {
  it('refuses a callback whose owner has not reconnected to an emptied Redis', async (test) => {
    const redis = await redisServer(test);
    const proxy = await proxyTo(test, redis);
    const owner = anInstance(test, proxy);
    await connected(owner);
    const { id, delivered } = await waitingAt(owner);
    proxy.disconnect();
    await redis.stop();
    await redis.start();
    const [newInstance] = await instances(test, redis, 1, { settlingMs: 60_000 });
    expect(await newInstance.offer(id, callback)).toEqual(overloaded);
    proxy.reconnect();
    await connected(owner);
    await eventually(async () => (await newInstance.offer(id, callback)).isOk(), true);
    await eventually(() => delivered, [callback]);
  });

  it('acknowledges a callback with an unknown id after settlingMs', async (test) => {
    const redis = await redisServer(test);
    const [newInstance] = await instances(test, redis, 1, { settlingMs: 50 });
    await eventually(async () => newInstance.offer('unknown-leg', callback), ok('unknown'));
  });
});

/** Creates an owner that is disconnected from Redis, two other instances, and a leg that waits on the owner. */
const disconnectedOwner = async (test: Test, expectation: Partial<Expectation> = {}) => {
  const redis = await redisServer(test);
  const proxy = await proxyTo(test, redis);
  const owner = anInstance(test, proxy, { settlingMs: 60_000 });
  const [remote, third] = await instances(test, redis, 2, { settlingMs: 60_000 });
  await connected(owner);
  const delivered: string[] = [];
  const deliver = (text: string) => void delivered.push(text);
  const transactionId = 'waiting';
  await owner.expect([{ transactionId, legId: 'moa', deliver, ...expectation }], 60_000);
  proxy.disconnect();
  await eventually(() => owner.degradedReason !== undefined, true);
  return { redis, proxy, remote, third, id: transactionId, legKey: `portico:{${transactionId}}:leg`, delivered };
};

/** Restarts Redis without its data. */
const restartEmpty = async (redis: RedisServer): Promise<void> => {
  await redis.stop();
  await redis.start();
};

describe.skipIf(!hasRedis).concurrent('a callback that Redis loses before its owner has read it', () => {
  it('delivers a callback that Redis loses twice', async (test) => {
    const { redis, proxy, remote, id, legKey, delivered } = await disconnectedOwner(test);
    expect(await remote.offer(id, callback)).toEqual(ok('delivered'));
    await restartEmpty(redis);
    const observer = await inspector(test, redis);
    await observer.set(legKey, 'wanother', { expiration: { type: 'PX', value: 60_000 } });
    await eventually(() => observer.get(legKey), 'd'); // stored again
    await restartEmpty(redis);
    proxy.reconnect();
    await eventually(() => delivered, [callback]);
  });

  it('stores a lost callback again from the instance that acknowledged a duplicate', async (test) => {
    const { redis, proxy, remote, third, id, delivered } = await disconnectedOwner(test);
    expect(await third.offer(id, '{"first":true}')).toEqual(ok('delivered'));
    await third.close();
    expect(await remote.offer(id, callback)).toEqual(ok('duplicate'));
    await restartEmpty(redis);
    proxy.reconnect();
    await eventually(() => delivered, [callback]);
  });

  it('does not replace it with a duplicate that belongs to another message', async (test) => {
    const sent = { messageId: 'm-1', bapId: 'bap.example', domain: 'retail' };
    const { redis, proxy, remote, id, delivered } = await disconnectedOwner(test, { pairing: pairingOf(sent) });
    const context = { transactionId: id, sellerId: 'bpp-1', ...sent };
    expect(await remote.offer(id, callback, { context })).toEqual(ok('delivered'));
    const other = { context: { ...context, messageId: 'm-2' } };
    expect(await remote.offer(id, '{"other":true}', other)).toEqual(ok('duplicate'));
    await restartEmpty(redis);
    proxy.reconnect();
    await eventually(() => delivered, [callback]);
  });

  it('does not replace a verified callback with an unverified duplicate', async (test) => {
    const { redis, proxy, remote, third, id, legKey, delivered } = await disconnectedOwner(test, {
      isVerifiedOnly: true,
    });
    expect(await third.offer(id, callback, { isVerified: true })).toEqual(ok('delivered'));
    await third.close();
    expect(await remote.offer(id, '{"forged":true}')).toEqual(ok('duplicate'));
    await restartEmpty(redis);
    proxy.reconnect();
    const observer = await inspector(test, redis);
    await eventually(async () => (await observer.get(legKey))?.startsWith('v'), true);
    await eventually(async () => (await remote.offer(id, callback, { isVerified: true })).isOk(), true);
    await eventually(() => delivered, [callback]);
  });
});

const asUser = async (test: Test, ...rules: readonly string[]) => {
  const redis = await redisServer(test);
  return { redis, ...(await userWith(test, redis, ...rules)) };
};

describe.skipIf(!hasRedis).concurrent('a Redis user without channel rights', () => {
  const noChannel = 'Redis denies this user publish or subscribe; callbacks for other instances are refused or delayed';

  it('reports missing channel rights and refuses callbacks for other instances', async (test) => {
    const { url } = await asUser(test);
    const [owner, remote] = [anInstance(test, { url }), anInstance(test, { url })];
    await eventually(() => [owner.degradedReason, remote.degradedReason], [noChannel, noChannel]);
    const { id, delivered } = await waitingAt(owner);
    expect(await remote.offer(id, callback)).toEqual(overloaded);
    expect(await remote.offer(id, callback)).toEqual(overloaded);
    expect(await owner.offer(id, callback)).toEqual(ok('delivered'));
    expect(delivered).toEqual([callback]);
  });

  it('delivers a callback stored by an instance with channel rights', async (test) => {
    const { redis, url } = await asUser(test);
    const owner = anInstance(test, { url });
    const [remote] = await instances(test, redis, 1);
    await eventually(() => owner.degradedReason, noChannel);
    const { id, delivered } = await waitingAt(owner);
    // Without channel rights, the owner does not wait until Redis has its leg.
    await eventually(() => remote.offer(id, callback), ok('delivered'));
    await eventually(() => delivered, [callback]);
  });

  it('recovers when the channel rights are granted', async (test) => {
    const { url, change } = await asUser(test);
    const owner = anInstance(test, { url });
    await eventually(() => owner.degradedReason, noChannel);
    await change('&portico:*');
    await connected(owner);
  });
});

describe.skipIf(!hasRedis).concurrent('a callback that the Redis user may not read', () => {
  it('reports a callback that cannot be read and delivers it after the right is granted', async (test) => {
    const { redis, url, change } = await asUser(test, '&portico:*', '-getrange');
    const owner = anInstance(test, { url });
    const [remote] = await instances(test, redis, 1);
    await connected(owner);
    const { id, delivered } = await waitingAt(owner);
    expect(await remote.offer(id, callback)).toEqual(ok('delivered'));
    await eventually(() => owner.degradedReason?.startsWith('Redis refuses'), true);
    await change('+getrange');
    await eventually(() => delivered, [callback]);
  });

  it('delivers a callback stored while its owner was disconnected after the right is granted', async (test) => {
    const { redis, url, change } = await asUser(test, '&portico:*', '-getrange');
    const proxy = await proxyTo(test, redis);
    const { username, password } = new URL(url);
    const owner = anInstance(test, { url: proxy.url.replace('://', `://${username}:${password}@`) });
    const [remote] = await instances(test, redis, 1);
    await connected(owner);
    const { id, delivered } = await waitingAt(owner);
    proxy.disconnect();
    await eventually(() => owner.degradedReason?.startsWith('Redis is unreachable'), true);
    expect(await remote.offer(id, callback)).toEqual(ok('delivered'));
    proxy.reconnect();
    await eventually(() => owner.degradedReason?.startsWith('Redis refuses'), true);
    await change('+getrange');
    await eventually(() => delivered, [callback]);
  });
});

describe.skipIf(!hasRedis).concurrent('a callback on the instance of its search', () => {
  it('delivers a callback to its own instance when Redis falls silent after it had an earlier one', async (test) => {
    const other = '{"message":{}}';
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const proxy = await proxyTo(test, redis);
    const owner = anInstance(test, proxy, { commandTimeoutMs: 500 });
    const [remote] = await instances(test, redis, 1);
    await connected(owner);
    const { id, delivered } = await waitingAt(owner, 'earlier', 60_000);
    const connections = await connectionsReceived(observer);
    const sent = Promise.withResolvers<void>();
    proxy.holdReplies();
    expect(await remote.offer(id, callback)).toEqual(ok('delivered'));
    proxy.onRequest(() => sent.resolve());
    const late = owner.offer(id, other);
    await sent.promise;
    // What the owner sends next is the request for the earlier callback.
    proxy.onRequest(proxy.freeze);
    proxy.releaseReplies();
    expect(await late).toEqual(ok('delivered'));
    expect(delivered).toEqual([other]);
    // Before the silent connection was replaced.
    expect(await connectionsReceived(observer)).toBe(connections);
  });

  it('delivers a callback to its own instance when Redis has lost an earlier one', async (test) => {
    const redis = await redisServer(test);
    const proxy = await proxyTo(test, redis);
    const owner = anInstance(test, proxy);
    const [remote] = await instances(test, redis, 1);
    await connected(owner);
    const { id, delivered } = await waitingAt(owner);
    proxy.disconnect();
    await eventually(() => owner.degradedReason !== undefined, true);
    await remote.offer(id, '{"first":true}');
    const observer = await inspector(test, redis);
    await observer.del(`portico:{${id}}:callback`);
    proxy.reconnect();
    await connected(owner);
    expect(await owner.offer(id, callback)).toEqual(ok('delivered'));
    expect(delivered).toEqual([callback]);
  });
});

describe.skipIf(!hasRedis)('a blocked event loop', () => {
  it('does not make the exchange report a slow Redis', async (test) => {
    const redis = await redisServer(test);
    const [owner, remote] = await instances(test, redis, 2, { commandTimeoutMs: timeoutMs });
    for (let round = 0; round < 2; round++) {
      const { id, delivered } = await waitingAt(owner);
      const offered = remote.offer(id, callback);
      await new Promise((resolve) => setImmediate(resolve)); // the command has been sent
      blockEventLoop();
      expect(await offered).toEqual(ok('delivered'));
      expect(remote.degradedReason).toBeUndefined();
      await eventually(() => delivered, [callback]);
    }
  });

  it('does not make the rate limiter report a slow Redis', async (test) => {
    const redis = await redisServer(test);
    const client = await readyConnection(test, redis);
    const used = redisRateLimiter({ client, requests: 1, seconds: 600, waitMs: timeoutMs });
    expect(await used.take('caller')).toEqual({ isAllowed: true });
    // A second limiter on the same keys, like another instance, which does not have the caller in memory.
    const limiter = redisRateLimiter({ client, requests: 1, seconds: 600, waitMs: timeoutMs });
    const taken = limiter.take('caller');
    await new Promise((resolve) => setImmediate(resolve));
    blockEventLoop();
    expect(await taken).toMatchObject({ isAllowed: false });
    expect(limiter.degradedReason).toBeUndefined();
  });
});

describe.skipIf(!hasRedis).concurrent('a full Redis', () => {
  it('reports a full Redis while reads succeed, without a flood of commands', async (test) => {
    const redis = await redisServer(test);
    const [owner] = await instances(test, redis, 1, { settlingMs: 60_000 });
    const observer = await inspector(test, redis);
    await observer.configSet('maxmemory', '1');
    await waitingAt(owner); // refused; only reads follow
    const { take } = await commandsOf(test, redis);
    for (let nth = 0; nth < 20; nth++) {
      expect(await owner.offer(`unknown-${nth}`, callback)).toEqual(overloaded);
      expect(owner.degradedReason).toMatch(/^Redis refuses writes/);
    }
    expect((await take()).filter((command) => /^"(?:GET|SET)"/i.test(command)).length).toBeLessThan(30);
  });

  it('replaces the connection to a Redis that has become a replica', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const [owner] = await instances(test, redis, 1);
    await connected(owner);
    const connections = () => connectionsReceived(observer);
    const before = await connections();
    await observer.sendCommand(['REPLICAOF', '127.0.0.1', '9']);
    await waitingAt(owner); // refused
    await eventually(async () => (await connections()) > before, true);
    await observer.sendCommand(['REPLICAOF', 'NO', 'ONE']);
    await connected(owner);
  });

  it('keeps the connection to a full Redis, because a refusal is a reply', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const [owner] = await instances(test, redis, 1, { clock: clockFasterBy(10), commandTimeoutMs: 50_000 });
    const connections = () => connectionsReceived(observer);
    await observer.configSet('maxmemory', '1');
    await waitingAt(owner);
    const before = await connections();
    const probes = async () =>
      Number(/cmdstat_set:.*rejected_calls=(\d+)/.exec(await observer.info('commandstats'))?.[1]);
    const refused = await probes();
    // By then, a connection without replies would have been replaced more than once.
    await eventually(async () => (await probes()) - refused >= 7, true);
    expect(await connections()).toBe(before);
    await observer.configSet('maxmemory', '0');
    await connected(owner);
  });
});

describe.skipIf(!hasRedis).concurrent('a Redis in cluster mode', () => {
  it('stays healthy when a callback has an id that would put its keys in different slots', async (test) => {
    const dir = await mkdtemp(join(tmpdir(), 'portico-cluster-'));
    test.onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const redis = await redisServer(test, true, { 'cluster-enabled': 'yes', dir });
    const admin = await inspector(test, redis);
    await admin.sendCommand(['CLUSTER', 'ADDSLOTS', ...Array.from({ length: 16_384 }, (_, slot) => String(slot))]);
    const info = () => admin.sendCommand<string>(['CLUSTER', 'INFO']);
    await eventually(async () => (await info()).includes('state:ok'), true);
    const exchange = anInstance(test, redis);
    await connected(exchange);
    for (const id of ['}', '}{', '%7D']) {
      expect(await exchange.offer(id, callback)).toEqual(ok('unknown'));
      expect(exchange.degradedReason).toBeUndefined();
    }
  });
});

describe('connectionOptions', () => {
  it('returns separate options for plain and encrypted connections', () => {
    redisCommandClient('redis://127.0.0.1:1')
      .close()
      .catch(() => {});
    const encrypted = redisCommandClient('rediss://user:secret@127.0.0.1:1');
    expect(encrypted.isReady).toBe(false);
    encrypted.close().catch(() => {});
  });
});

describe.skipIf(!hasRedis).concurrent('many large callbacks at once', () => {
  const large = JSON.stringify({ filler: 'x'.repeat(5 * 1024 * 1024) });
  const ids = ['one', 'two', 'three', 'four'];
  const offers = (exchange: RedisCallbackExchange) => Promise.all(ids.map((id) => exchange.offer(id, large)));

  it('delivers several large callbacks', async (test) => {
    const [owner, remote] = await instances(test, await redisServer(test), 2);
    for (const id of ids) await waitingAt(owner, id);
    expect(await offers(remote)).toEqual(ids.map(() => ok('delivered')));
  });

  it('does not send large callbacks of unknown legs to Redis', async (test) => {
    const redis = await redisServer(test);
    const [exchange] = await instances(test, redis, 1);
    expect(await offers(exchange)).toEqual(ids.map(() => ok('unknown')));
    expect(await bytesReceived(await inspector(test, redis))).toBeLessThan(1024 * 1024);
  });

  it('refuses large callbacks when Redis does not reply, without queueing all of them', async (test) => {
    const redis = await redisServer(test);
    const [owner] = await instances(test, redis, 1);
    for (const id of ids) await waitingAt(owner, id);
    const [remote] = await instances(test, redis, 1, { commandTimeoutMs: 100 });
    redis.pause();
    test.onTestFinished(redis.resume);
    expect(await offers(remote)).toEqual(ids.map(() => overloaded));
    redis.resume();
    const observer = await inspector(test, redis);
    await connected(remote);
    expect(await bytesReceived(observer)).toBeLessThan(16 * 1024 * 1024);
  });
});
