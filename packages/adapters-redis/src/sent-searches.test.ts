import { randomUUID } from 'node:crypto';
import { memorySentSearches, upstream } from '@portico/core';
import { searchPortTokens, sentSearchesToken } from '@portico/core/inversify';
import { fakeClock } from '@portico/core/testing';
import { Container } from 'inversify';
import { err, ok } from 'neverthrow';
import { describe, expect, it, vi } from 'vitest';
import { redisSentSearchesModule } from './inversify.ts';
import type { RedisCommandClient } from './connection/command-client.ts';
import {
  commandsOf,
  connectionTo,
  hasRedis,
  inspector,
  longWaitMs,
  readyConnection,
  redisServer,
  soon,
  twoConnections,
} from './redis-server.test.support.ts';
import { redisSentSearches } from './sent-searches.ts';

const unavailable = err(upstream('search', 'unreachable'));
const sent = { legId: 'mh', signature: 'c2lnbmF0dXJl' };

/** A client whose commands have this reply. */
const clientWith = (reply: () => Promise<unknown>, isReady = true): RedisCommandClient => ({ isReady, eval: reply });

/** A client that records the keys and expiries that are stored. */
const recordingClient = () => {
  const stored: (readonly [key: string | undefined, expiry: string | undefined])[] = [];
  const client: RedisCommandClient = {
    isReady: true,
    eval: async (_, { keys, arguments: values }) => void stored.push([keys[0], values[1]]),
  };
  return { client, stored };
};

/** The connections of a client, made by the test. */
const connections = () => {
  const listeners: (() => void)[] = [];
  return {
    onConnected: (listener: () => void) => void listeners.push(listener),
    connect: () => {
      for (const listener of listeners) listener();
    },
  };
};

describe.skipIf(!hasRedis)('searches remembered in Redis', () => {
  const instances = twoConnections();

  it('are found on another instance, until they expire', async () => {
    const [one, other] = instances.clients.map((client) =>
      redisSentSearches({ client, waitMs: longWaitMs, rememberMs: 60_000 }),
    );
    const id = randomUUID();
    await one!.remember(id, sent);
    expect(await other!.find(id)).toEqual(ok(sent));
    const ttlMs = await instances.clients[0]!.eval("return redis.call('PTTL', KEYS[1])", {
      keys: [`portico:sent:${id}`],
      arguments: [],
    });
    expect(ttlMs).toBeGreaterThan(0);
    expect(ttlMs).toBeLessThanOrEqual(60_000);
  });

  it('may have no signature, and are not found under another id', async () => {
    const [one, other] = instances.clients.map((client) => redisSentSearches({ client, waitMs: longWaitMs }));
    const id = randomUUID();
    await one!.remember(id, { legId: 'moa', signature: undefined });
    expect(await other!.find(id)).toEqual(ok({ legId: 'moa' }));
    expect(await other!.find(randomUUID())).toEqual(ok(undefined));
  });

  it('are stored again when Redis was not reachable, or has lost them', async (test) => {
    const server = await redisServer(test, false);
    const [one, other] = [connectionTo(test, server), connectionTo(test, server)];
    const owner = redisSentSearches({ client: one, waitMs: longWaitMs });
    const remote = redisSentSearches({ client: other, waitMs: longWaitMs });
    await owner.remember('early', sent);
    await server.start();
    await vi.waitFor(async () => expect(await remote.find('early')).toEqual(ok(sent)), soon);
    await server.stop();
    await server.start();
    await vi.waitFor(async () => expect(await remote.find('early')).toEqual(ok(sent)), soon);
  });

  it('are stored again when Redis accepts writes again', async (test) => {
    const redis = await redisServer(test, true, { maxmemory: '1', 'maxmemory-policy': 'noeviction' });
    const observer = await inspector(test, redis);
    const searches = [connectionTo(test, redis), connectionTo(test, redis)].map((client) =>
      redisSentSearches({ client, waitMs: longWaitMs }),
    );
    const [one, other] = [searches[0]!, searches[1]!];
    const id = randomUUID();
    await one.remember(id, sent);
    expect(one.degradedReason).toMatch(/^Redis is slow or refuses writes/);
    expect(await other.find(id)).toEqual(unavailable);
    await observer.configSet('maxmemory', '0');
    await vi.waitFor(async () => expect(await other.find(id)).toEqual(ok(sent)), soon);
    expect(one.degradedReason).toBeUndefined();
  });

  it('are not stored again after a timeout if Redis has them', async (test) => {
    const redis = await redisServer(test);
    const client = await readyConnection(test, redis);
    const searches = redisSentSearches({ client, waitMs: 250 });
    const id = randomUUID();
    await vi.waitFor(async () => {
      await searches.remember(id, sent);
      expect(searches.degradedReason).toBeUndefined();
    }, soon);
    const { take } = await commandsOf(test, redis);
    redis.pause();
    test.onTestFinished(redis.resume);
    await searches.find('another');
    expect(searches.degradedReason).toMatch(/^Redis is slow/);
    redis.resume();
    await expect.poll(() => searches.degradedReason, soon).toBeUndefined();
    expect((await take()).filter((command) => command.includes(id))).toEqual([]);
  });

  it('replace those of the memory in a container, on all instances', async () => {
    const containers = [new Container(), new Container()];
    for (const container of containers) {
      container.bind(searchPortTokens.clock).toConstantValue(fakeClock());
      container.bind(sentSearchesToken).toConstantValue(memorySentSearches({ clock: fakeClock() }));
      container.load(redisSentSearchesModule({ url: instances.redis.url, rememberMs: 60_000 }));
    }
    const [one, other] = containers.map((container) => container.get(sentSearchesToken));
    const id = randomUUID();
    // Each connection is made in the background.
    await vi.waitFor(async () => {
      await one!.remember(id, sent);
      expect(await other!.find(id)).toEqual(ok(sent));
    }, soon);
    await Promise.all(containers.map((container) => container.unbindAllAsync()));
  });
});

describe('a new connection', () => {
  it('stores each search for the rest of its time, and none whose time has passed', async ({ onTestFinished }) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { client, stored } = recordingClient();
    const { onConnected, connect } = connections();
    const searches = redisSentSearches({ client: { ...client, onConnected }, rememberMs: 60_000 });
    await searches.remember('first', sent);
    vi.advanceTimersByTime(20_000);
    await searches.remember('second', sent);
    vi.advanceTimersByTime(40_000);
    stored.length = 0;
    connect();
    expect(stored).toEqual([['portico:sent:second', '20000']]);
  });

  it('stores the latest 10,000 searches', async () => {
    const { client, stored } = recordingClient();
    const { onConnected, connect } = connections();
    const searches = redisSentSearches({ client: { ...client, onConnected } });
    await Promise.all(Array.from({ length: 10_001 }, (_, nth) => searches.remember(`search-${nth}`, sent)));
    stored.length = 0;
    connect();
    expect([stored.length, stored[0]?.[0]]).toEqual([10_000, 'portico:sent:search-1']);
  });
});

describe('a Redis that does not work', () => {
  it.each([
    ['is unreachable', clientWith(() => Promise.reject(new Error('down')), false), unavailable],
    ['refuses commands', clientWith(() => Promise.reject(new Error('READONLY'))), unavailable],
    ['does not reply', clientWith(() => new Promise(() => {})), unavailable],
    ['has another value', clientWith(() => Promise.resolve('{')), ok(undefined)],
    ['has a value without a leg', clientWith(() => Promise.resolve('{"signature":"x"}')), ok(undefined)],
  ])('finds only the searches of this instance when Redis %s', async (_, client, foreign) => {
    const searches = redisSentSearches({ client, waitMs: 4 });
    await searches.remember('own', sent);
    expect(await searches.find('own')).toEqual(ok(sent));
    expect(await searches.find('foreign')).toEqual(foreign);
  });

  it('may have lost a search that it does not have, until the other instances had time to store theirs again', async ({
    onTestFinished,
  }) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { onConnected, connect } = connections();
    const searches = redisSentSearches({ client: { ...clientWith(() => Promise.resolve(null)), onConnected } });
    connect();
    vi.advanceTimersByTime(4999);
    expect(await searches.find('foreign')).toEqual(unavailable);
    vi.advanceTimersByTime(1);
    expect(await searches.find('foreign')).toEqual(ok(undefined));
  });

  it('is waited for until the first connection', async () => {
    const connected = Promise.withResolvers<void>();
    const client = {
      isReady: false,
      connected: connected.promise,
      eval: () => Promise.resolve(JSON.stringify(sent)),
    };
    const found = redisSentSearches({ client }).find('foreign');
    client.isReady = true;
    connected.resolve();
    expect(await found).toEqual(ok(sent));
  });

  it('is not waited for again when the first connection was not made in time', async ({ onTestFinished }) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const client = clientWith(() => Promise.reject(new Error('down')), false);
    const searches = redisSentSearches({ client: { ...client, connected: new Promise(() => {}) } });
    const first = searches.remember('first', sent);
    await vi.advanceTimersByTimeAsync(1000);
    await first;
    const remembered = searches.remember('second', sent);
    const found = searches.find('foreign');
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
    await remembered;
    expect(await found).toEqual(unavailable);
  });
});
