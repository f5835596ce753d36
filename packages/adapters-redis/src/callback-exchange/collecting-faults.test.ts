import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import {
  commandsOf,
  hasRedis,
  inspector,
  proxyTo,
  type RedisOptions,
  redisServer,
  type Test,
  userWith,
} from '../redis-server.test.support.ts';
import type { RedisExchangeSettings } from './exchange.ts';
import { digestOf } from './offered-callback.ts';
import { anInstance, collectingAt, connected, eventually, instances, overloaded } from './exchange.test.support.ts';

const limits = { maxCallbacks: 4, maxBytes: 1_000_000 };

/** An owner with a connection that can be cut, two other instances, and a leg that collects at the owner. */
const collectingOwner = async (
  test: Test,
  { options = {}, ...settings }: Partial<RedisExchangeSettings> & { readonly options?: RedisOptions } = {},
) => {
  const redis = await redisServer(test, true, options);
  const proxy = await proxyTo(test, redis);
  const owner = anInstance(test, proxy, { settlingMs: 60_000, ...settings });
  const [remote, third] = await instances(test, redis, 2, { settlingMs: 60_000, ...settings });
  await connected(owner);
  const { id, happened } = await collectingAt(owner, { collects: limits }, 60_000);
  const disconnectOwner = async () => {
    proxy.disconnect();
    await eventually(() => owner.degradedReason !== undefined, true);
  };
  const keys = {
    leg: `portico:{${id}}:leg`,
    callback: `portico:{${id}}:callback`,
    accepted: `portico:{${id}}:accepted`,
  };
  return { redis, proxy, owner, remote, third, id, happened, disconnectOwner, keys };
};

describe.skipIf(!hasRedis).concurrent('a restart of Redis while a leg collects', () => {
  it('loses no acknowledged callback and no count when Redis loses its data', async (test) => {
    const { redis, proxy, owner, remote, third, id, happened, disconnectOwner, keys } = await collectingOwner(test);
    await owner.offer(id, 'at the owner');
    await remote.offer(id, 'read before');
    await eventually(() => happened, ['at the owner', 'read before']);
    await disconnectOwner();
    expect(await remote.offer(id, 'lost')).toEqual(ok('delivered'));
    await redis.stop();
    await redis.start();
    proxy.reconnect();
    await eventually(() => happened, ['at the owner', 'read before', 'lost']);
    await connected(owner, remote, third);
    const observer = await inspector(test, redis);
    const isCounted = (text: string) => observer.hExists(keys.accepted, digestOf(text));
    await eventually(() => Promise.all(['at the owner', 'read before', 'lost'].map(isCounted)), [1, 1, 1]);
    for (const text of ['at the owner', 'read before', 'lost'])
      expect(await third.offer(id, text)).toEqual(ok('duplicate'));
    expect(await third.offer(id, 'the last one')).toEqual(ok('delivered'));
    expect(await third.offer(id, 'one too many')).toEqual(ok('full'));
    await eventually(() => happened.slice(3), ['the last one', 'overflow']);
  });

  it('counts what a leg has accepted before the leg can accept more', async (test) => {
    const { redis, proxy, owner, id, happened, disconnectOwner, keys } = await collectingOwner(test);
    await owner.offer(id, 'at the owner');
    await disconnectOwner();
    await redis.stop();
    await redis.start();
    const commands = await commandsOf(test, redis);
    const own: string[] = [];
    proxy.reconnect();
    await eventually(async () => {
      own.push(
        ...(await commands.take()).filter((command) => command.includes(keys.leg) || command.includes(keys.accepted)),
      );
      return own.some((command) => command.startsWith('"SET"'));
    }, true);
    // The new Redis does not know the script, which is therefore sent again.
    expect(own.map((command) => command.split(' ')[0]).slice(0, 3)).toEqual(['"EVALSHA"', '"EVAL"', '"SET"']);
    expect(happened).toEqual(['at the owner']);
  });

  it('keeps every callback that one instance has acknowledged for a leg', async (test) => {
    const { redis, proxy, remote, third, id, happened, disconnectOwner } = await collectingOwner(test);
    await disconnectOwner();
    for (const text of ['one', 'two', 'three']) expect(await remote.offer(id, text)).toEqual(ok('delivered'));
    expect(await third.offer(id, 'two')).toEqual(ok('duplicate'));
    await redis.stop();
    await redis.start();
    proxy.reconnect();
    await eventually(() => happened.toSorted(), ['one', 'three', 'two']);
  });

  it('stores a lost callback again from the instance that acknowledged its duplicate', async (test) => {
    const { redis, proxy, remote, third, id, happened, disconnectOwner } = await collectingOwner(test);
    await disconnectOwner();
    expect(await third.offer(id, 'one')).toEqual(ok('delivered'));
    expect(await remote.offer(id, 'one')).toEqual(ok('duplicate'));
    await third.close(); // like an instance that was killed
    await redis.stop();
    await redis.start();
    proxy.reconnect();
    await eventually(() => happened, ['one']);
  });

  it('delivers what a Redis with persistence has kept, although the receiver has ended', async (test) => {
    const dir = await mkdtemp(join(tmpdir(), 'portico-redis-'));
    test.onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const options = { dir, appendonly: 'yes', appendfsync: 'always' };
    const { redis, proxy, remote, id, happened, disconnectOwner } = await collectingOwner(test, { options });
    await disconnectOwner();
    for (const text of ['one', 'two']) expect(await remote.offer(id, text)).toEqual(ok('delivered'));
    await remote.close();
    await redis.stop();
    await redis.start();
    proxy.reconnect();
    await eventually(() => happened, ['one', 'two']);
  });
});

describe.skipIf(!hasRedis).concurrent('an owner without Redis whose leg collects', () => {
  it('decides alone while Redis does not reply, and counts in Redis afterwards what it has accepted', async (test) => {
    const settings = { commandTimeoutMs: 150, settlingMs: 0 };
    const { redis, owner, remote, id, happened, keys } = await collectingOwner(test, settings);
    redis.pause();
    expect(await owner.offer(id, 'one')).toEqual(ok('delivered'));
    expect(await owner.offer(id, 'one')).toEqual(ok('duplicate'));
    expect(await owner.offer(id, 'two')).toEqual(ok('delivered'));
    expect(await remote.offer(id, 'three')).toEqual(overloaded);
    redis.resume();
    await connected(owner, remote);
    const observer = await inspector(test, redis);
    await eventually(() => observer.hExists(keys.accepted, digestOf('two')), 1);
    // Sellers send a refused callback again. It is delivered once, even if Redis has executed the refused command.
    const isAccepted = async (text: string) => (await remote.offer(id, text)).isOk();
    await eventually(() => remote.offer(id, 'two'), ok('duplicate'));
    await eventually(() => isAccepted('three'), true);
    await eventually(() => happened, ['one', 'two', 'three']);
    await eventually(() => isAccepted('four'), true);
    await eventually(() => remote.offer(id, 'five'), ok('full'));
    await eventually(() => happened, ['one', 'two', 'three', 'four', 'overflow']);
  });

  it('reports the overflow alone when Redis is down', async (test) => {
    const { owner, id, happened, disconnectOwner } = await collectingOwner(test);
    await disconnectOwner();
    const outcomes = [];
    for (const text of ['1', '2', '3', '4', '5', '5']) outcomes.push((await owner.offer(id, text)).unwrapOr(undefined));
    expect(outcomes).toEqual(['delivered', 'delivered', 'delivered', 'delivered', 'full', 'full']);
    expect(happened.slice(0, 5)).toEqual(['1', '2', '3', '4', 'overflow']);
  });

  it('ends a leg that is full because both its owner and another instance accepted callbacks', async (test) => {
    const { redis, proxy, owner, remote, id, happened, disconnectOwner, keys } = await collectingOwner(test);
    await disconnectOwner();
    expect(await remote.offer(id, 'elsewhere')).toEqual(ok('delivered'));
    for (const text of ['1', '2', '3', '4']) expect(await owner.offer(id, text)).toEqual(ok('delivered'));
    proxy.reconnect();
    await eventually(() => happened, ['1', '2', '3', '4', 'overflow']);
    const observer = await inspector(test, redis);
    await eventually(() => observer.hExists(keys.accepted, digestOf('4')), 1);
    expect(await remote.offer(id, 'another')).toEqual(ok('full'));
  });

  it('removes the texts of a leg that was released while Redis was unreachable', async (test) => {
    const { redis, proxy, owner, remote, id, happened, disconnectOwner, keys } = await collectingOwner(test);
    await disconnectOwner();
    expect(await remote.offer(id, 'private')).toEqual(ok('delivered'));
    owner.release(id);
    proxy.reconnect();
    const observer = await inspector(test, redis);
    await eventually(() => observer.get(keys.leg), 'r');
    await eventually(() => observer.exists([keys.callback, keys.accepted]), 0);
    expect(await remote.offer(id, 'private')).toEqual(ok('late'));
    expect(happened).toEqual([]);
  });

  it('keeps no more than the limit of the leg in Redis, and lets it expire, when the owner never comes back', async (test) => {
    const { redis, remote, id, disconnectOwner, keys } = await collectingOwner(test);
    await disconnectOwner();
    for (const text of ['1', '2', '3', '4']) expect(await remote.offer(id, text)).toEqual(ok('delivered'));
    for (const text of ['5', '6']) expect(await remote.offer(id, text)).toEqual(ok('full'));
    const observer = await inspector(test, redis);
    expect(await observer.xLen(keys.callback)).toBe(5);
    for (const key of [keys.callback, keys.accepted]) {
      const left = await observer.pTTL(key);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(60_000);
    }
  });
});

describe.skipIf(!hasRedis).concurrent('a Redis user with few rights', () => {
  it('changes nothing for a leg that collects when its owner cannot be woken', async (test) => {
    const { redis, owner, id, happened } = await collectingOwner(test);
    const remote = anInstance(test, await userWith(test, redis));
    await eventually(() => remote.degradedReason?.startsWith('Redis denies'), true);
    for (let sent = 0; sent < 2; sent++) expect(await remote.offer(id, 'one')).toEqual(overloaded);
    expect(await owner.offer(id, 'one')).toEqual(ok('delivered'));
    expect(happened).toEqual(['one']);
  });

  it.for(['-xrange', '-xdel'])(
    'delivers each callback once, as soon as the missing right (%s) is granted',
    async (right, test) => {
      const redis = await redisServer(test);
      const { observer, url, change } = await userWith(test, redis, '&portico:*', right);
      const owner = anInstance(test, { url });
      const [remote] = await instances(test, redis, 1);
      await connected(owner);
      const { id, happened } = await collectingAt(owner);
      for (let nth = 0; nth < 15; nth++) expect(await remote.offer(id, `${nth}`)).toEqual(ok('delivered'));
      await eventually(() => owner.degradedReason?.startsWith('Redis refuses'), true);
      await change(right.replace('-', '+'));
      await eventually(
        () => happened,
        Array.from({ length: 15 }, (_, nth) => `${nth}`),
      );
      await eventually(() => observer.xLen(`portico:{${id}}:callback`), 0);
      await connected(owner);
    },
  );
});

describe.skipIf(!hasRedis).concurrent('a connection that ends before a callback is removed', () => {
  it('does not deliver the callback again', async (test) => {
    const { redis, proxy, owner, remote, id, happened, disconnectOwner, keys } = await collectingOwner(test);
    const isRemoved = Promise.withResolvers<void>();
    // Ends the connection before the removal reaches Redis.
    proxy.onRequest((request) => {
      if (!/\r\nXDEL\r\n/i.test(request)) return;
      proxy.onRequest();
      proxy.disconnect();
      isRemoved.resolve();
    });
    await remote.offer(id, 'one');
    await isRemoved.promise;
    await disconnectOwner();
    const observer = await inspector(test, redis);
    expect(happened).toEqual(['one']);
    proxy.reconnect();
    await connected(owner);
    await remote.offer(id, 'two');
    await eventually(() => happened, ['one', 'two']);
    await eventually(() => observer.xLen(keys.callback), 0);
  });
});

describe.skipIf(!hasRedis).concurrent('a leg that has no memory until another one ends', () => {
  it('receives each acknowledged callback when the other leg ends during a removal from Redis', async (test) => {
    const settings = { maxCollectedBytes: 100, settlingMs: 0 };
    const { proxy, owner, remote, id, happened, disconnectOwner } = await collectingOwner(test, settings);
    const ending = await collectingAt(owner);
    expect(await owner.offer(ending.id, 'x'.repeat(60))).toEqual(ok('delivered'));
    await disconnectOwner();
    const [small, large] = ['s'.repeat(20), 'l'.repeat(50)];
    for (const text of [small, large]) expect(await remote.offer(id, text)).toEqual(ok('delivered'));
    // The owner reads both at once, and has memory for the first only.
    proxy.onRequest((request) => {
      if (/\r\nXDEL\r\n/i.test(request)) owner.release(ending.id);
    });
    proxy.reconnect();
    await eventually(() => happened, [small, large]);
    await eventually(() => remote.offer(id, 'the next one'), ok('delivered'));
    await eventually(() => happened, [small, large, 'the next one']);
  });
});
