import { randomUUID } from 'node:crypto';
import { type Failure, maxSignInMs, type SessionStore } from '@portico/core';
import { sessionStoreToken } from '@portico/core/inversify';
import { sessionStoreContract } from '@portico/core/testing';
import { Container } from 'inversify';
import type { Result } from 'neverthrow';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { redisSessionModule } from './inversify.ts';
import {
  connectedWith,
  connectionsReceived,
  connectionTo,
  contractRunner,
  hasRedis,
  inspector,
  longWaitMs,
  passTime,
  proxyTo,
  redisServer,
  soon,
  twoConnections,
  userWith,
} from './redis-server.test.support.ts';
import { redisSessionStore } from './session-store.ts';

const hour = 3_600_000;

const timeout = { error: { service: 'sessions', reason: 'timeout' } };

const connected = connectedWith(redisSessionStore);

/** Two instances: each operation runs on the other one. */
const inTurn = (stores: readonly [SessionStore, SessionStore]): SessionStore => {
  let turn = 0;
  const next = () => stores[turn++ % 2]!;
  return {
    create: (...args) => next().create(...args),
    find: (...args) => next().find(...args),
    replace: (...args) => next().replace(...args),
    remove: (...args) => next().remove(...args),
    removeLabelled: (...args) => next().removeLabelled(...args),
    acquire: (...args) => next().acquire(...args),
    release: (...args) => next().release(...args),
    get degradedReason() {
      return stores[0].degradedReason ?? stores[1].degradedReason;
    },
  };
};

describe.skipIf(!hasRedis)('two instances on one Redis, used in turn', () => {
  const instances = twoConnections();

  sessionStoreContract(contractRunner, async () => {
    const observer = await inspector({ onTestFinished }, instances.redis);
    const proxy = await proxyTo({ onTestFinished }, instances.redis);
    return {
      store: inTurn([await connected({ onTestFinished }, proxy), await connected({ onTestFinished }, proxy)]),
      fresh: () => randomUUID().replaceAll('-', '_'),
      pass: (ms) => passTime(observer, ms),
      fail: async () => proxy.disconnect(),
    };
  });
});

const succeeded = <T>(result: Result<T, Failure>): T =>
  result.match(
    (value) => value,
    ({ kind }) => {
      throw new Error(`failed: ${kind}`);
    },
  );

it('redisSessionStore sends whole milliseconds of at least one, which Redis requires', async () => {
  const sent: string[][] = [];
  const store = redisSessionStore({
    client: { isReady: true, eval: async (_, { arguments: values }) => void sent.push(values) },
  });
  for (const ms of [0.25, 1500.75]) {
    await store.create('id', { value: 'v', labels: [], beganMsAgo: 0, expiresInMs: ms });
    await store.acquire('id', ms);
  }
  expect(sent.map((values) => (values.length === 2 ? values[1] : values[3]))).toEqual(['1', '1', '1500', '1500']);
});

describe.skipIf(!hasRedis)('redisSessionStore', () => {
  it('lets every key expire, a label with the last of its sessions', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const store = await connected(test, redis);
    await store.create('short', { value: 'v', labels: ['sid', 'member'], beganMsAgo: 0, expiresInMs: hour });
    await store.create('long', { value: 'v', labels: ['member'], beganMsAgo: 0, expiresInMs: 2 * hour });
    await store.create('shortest', { value: 'v', labels: ['member'], beganMsAgo: 0, expiresInMs: 60_000 });
    await store.acquire('short', hour);
    const hours = async (key: string) => Math.round((await observer.pTTL(`portico:{sessions}:${key}`)) / 60_000) / 60;
    expect(Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await hours(key)])))).toEqual({
      'session:short': 1,
      'session:long': 2,
      'label:sid': 1,
      'label:member': 2,
      'lease:short': 1,
    });
    expect((await observer.keys('*')).length).toBe(keys.length + 1);

    const { version } = succeeded(await store.find('short'))!;
    await store.replace('short', version, { value: 'w', expiresInMs: 3 * hour });
    expect([await hours('session:short'), await hours('label:sid'), await hours('label:member')]).toEqual([3, 3, 3]);
  });

  it('keeps no id of a removed session in a label, and none of an expired one once the label gets another', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const store = await connected(test, redis);
    const ids = () => observer.zRange('portico:{sessions}:label:member', 0, -1);
    for (const id of ['removed', 'kept'])
      await store.create(id, { value: 'v', labels: ['member'], beganMsAgo: 0, expiresInMs: hour });
    await store.create('expired', { value: 'v', labels: ['member'], beganMsAgo: 0, expiresInMs: 1 });
    await expect.poll(() => observer.exists('portico:{sessions}:session:expired'), soon).toBe(0);
    await store.remove('removed');
    await store.create('next', { value: 'v', labels: ['member'], beganMsAgo: 0, expiresInMs: hour });
    expect((await ids()).toSorted()).toEqual(['kept', 'next']);
    expect(succeeded(await store.removeLabelled('member'))).toBe(2);
    expect(await observer.keys('*')).toEqual(['portico:{sessions}:removed:member']);
  });

  it('leaves no key of a session that was removed by one of its labels', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const store = await connected(test, redis);
    await store.create('id', { value: 'v', labels: ['sid', 'member'], beganMsAgo: 0, expiresInMs: hour });
    expect(succeeded(await store.removeLabelled('sid'))).toBe(1);
    expect(await observer.keys('*')).toEqual(['portico:{sessions}:removed:sid']);
    const remembered = await observer.pTTL('portico:{sessions}:removed:sid');
    expect(remembered).toBeGreaterThan(maxSignInMs / 2);
    expect(remembered).toBeLessThanOrEqual(maxSignInMs);
  });

  it('removes and remembers a label also when Redis has no memory left', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const store = await connected(test, redis);
    await store.create('id', { value: 'v', labels: ['member'], beganMsAgo: 0, expiresInMs: hour });
    await observer.configSet({ maxmemory: '1', 'maxmemory-policy': 'noeviction' });
    expect(succeeded(await store.removeLabelled('member'))).toBe(1);
    expect(succeeded(await store.removeLabelled('unused'))).toBe(0);
    await observer.configSet({ maxmemory: '0' });
    for (const label of ['member', 'unused']) {
      const session = { value: 'v', labels: [label], beganMsAgo: hour / 10, expiresInMs: hour };
      expect(succeeded(await store.create('next', session))).toBe(false);
    }
  });

  it('needs only the permissions that docs/scaling.md lists', async (test) => {
    const redis = await redisServer(test);
    const store = await connected(test, await userWith(test, redis, '&portico:*'));
    succeeded(await store.create('id', { value: 'v', labels: ['member'], beganMsAgo: 0, expiresInMs: hour }));
    const { version } = succeeded(await store.find('id'))!;
    expect(succeeded(await store.replace('id', version, { value: 'w', expiresInMs: hour }))).toBe(true);
    succeeded(await store.release('id', succeeded(await store.acquire('id', hour))!));
    expect(succeeded(await store.removeLabelled('member'))).toBe(1);
    succeeded(await store.remove('id'));
  });

  it('fails at once while Redis is unreachable', async (test) => {
    const client = connectionTo(test, { url: 'redis://127.0.0.1:9' });
    const store = redisSessionStore({ client, waitMs: longWaitMs });
    expect(await store.find('id')).toMatchObject({ error: { service: 'sessions', reason: 'unreachable' } });
    expect(store.degradedReason).toMatch(/^Redis is unreachable/);
  });

  it('waits for the first connection', async (test) => {
    const redis = await redisServer(test);
    const client = connectionTo(test, redis);
    const store = redisSessionStore({ client, waitMs: longWaitMs });
    expect(succeeded(await store.find('id'))).toBeUndefined();
  });

  it('does not wait for a Redis that hangs, and recovers when it responds, without another operation', async (test) => {
    const redis = await redisServer(test);
    const store = await connected(test, redis, { waitMs: 20 });
    redis.pause();
    test.onTestFinished(redis.resume);
    expect(await store.find('id')).toMatchObject(timeout);
    expect(store.degradedReason).toMatch(/^Redis is slow or refuses writes/);
    redis.resume();
    await expect.poll(() => store.degradedReason, soon).toBeUndefined();
    await vi.waitFor(async () => succeeded(await store.find('id')), soon);
  });

  it('ends a lease whose reply was too late', async (test) => {
    const redis = await redisServer(test);
    const store = await connected(test, redis, { waitMs: 20 });
    redis.pause();
    test.onTestFinished(redis.resume);
    expect(await store.acquire('id', hour)).toMatchObject(timeout);
    // Redis is silent for so long that the end of the lease, which is sent afterwards, gets no reply either.
    expect(await store.find('id')).toMatchObject(timeout);
    redis.resume();
    const other = await connected(test, redis);
    await vi.waitFor(async () => expect(succeeded(await other.acquire('id', hour))).toBeDefined(), soon);
  });

  it('removes a session when Redis responds again', async (test) => {
    const redis = await redisServer(test);
    const store = await connected(test, redis, { waitMs: 20 });
    const other = await connected(test, redis);
    succeeded(await other.create('id', { value: 'v', labels: [], beganMsAgo: 0, expiresInMs: hour }));
    redis.pause();
    test.onTestFinished(redis.resume);
    expect(await store.find('id')).toMatchObject(timeout);
    expect(await store.remove('id')).toMatchObject(timeout);
    redis.resume();
    await vi.waitFor(async () => expect(succeeded(await other.find('id'))).toBeUndefined(), soon);
  });

  it('does not report a timeout any more after a new connection, without another operation', async (test) => {
    const redis = await redisServer(test);
    const proxy = await proxyTo(test, redis);
    const container = new Container();
    container.load(redisSessionModule({ url: proxy.url }));
    test.onTestFinished(() => container.unbindAllAsync());
    const store = container.get(sessionStoreToken);
    await expect.poll(() => store.degradedReason, soon).toBeUndefined();
    proxy.freeze();
    expect(await store.find('id')).toMatchObject(timeout);
    proxy.disconnect();
    await expect.poll(() => store.degradedReason, soon).toMatch(/^Redis is unreachable/);
    proxy.reconnect();
    await expect.poll(() => store.degradedReason, soon).toBeUndefined();
  });

  it('replaces its connection when Redis has become a replica', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const store = await connected(test, redis);
    const connections = () => connectionsReceived(observer);
    const before = await connections();
    await observer.sendCommand(['REPLICAOF', '127.0.0.1', '9']);
    const create = () => store.create('id', { value: 'v', labels: [], beganMsAgo: 0, expiresInMs: hour });
    expect(await create()).toMatchObject({ error: { service: 'sessions' } });
    await expect.poll(connections, soon).toBe(before + 1);
    await observer.sendCommand(['REPLICAOF', 'NO', 'ONE']);
    await vi.waitFor(async () => expect(succeeded(await create())).toBe(true), soon);
  });

  it('replaces a connection that died silently, although operations go on', async (test) => {
    const redis = await redisServer(test);
    const proxy = await proxyTo(test, redis);
    const store = await connected(test, proxy, { waitMs: 20 });
    proxy.freeze();
    const traffic = setInterval(() => void store.find('other'), 20);
    test.onTestFinished(() => clearInterval(traffic));
    expect(await store.find('id')).toMatchObject(timeout);
    await vi.waitFor(async () => succeeded(await store.find('id')), soon);
  });

  it('fails while Redis refuses writes, and reports it until Redis accepts them, although reads succeed', async (test) => {
    const redis = await redisServer(test, true, { maxmemory: '1', 'maxmemory-policy': 'noeviction' });
    const observer = await inspector(test, redis);
    const store = await connected(test, redis);
    const created = await store.create('id', { value: 'v', labels: [], beganMsAgo: 0, expiresInMs: hour });
    expect(created).toMatchObject({ error: { service: 'sessions' } });
    expect(succeeded(await store.find('id'))).toBeUndefined();
    expect(store.degradedReason).toMatch(/^Redis is slow or refuses writes/);
    await observer.configSet('maxmemory', '0');
    await expect.poll(() => store.degradedReason, soon).toBeUndefined();
  });
});

const keys = ['session:short', 'session:long', 'label:sid', 'label:member', 'lease:short'];

describe.skipIf(!hasRedis)('redisSessionModule', () => {
  it('binds a store, and closes its connection with the container', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const container = new Container();
    container.load(redisSessionModule({ url: redis.url, prefix: 'mine:' }));
    const store = container.get(sessionStoreToken);
    await expect.poll(() => store.degradedReason, soon).toBeUndefined();
    await store.create('id', { value: 'v', labels: [], beganMsAgo: 0, expiresInMs: hour });
    expect(await observer.keys('*')).toEqual(['mine:{sessions}:session:id']);
    await container.unbindAllAsync();
    await expect.poll(async () => (await observer.clientList()).length, soon).toBe(1);
  });
});
