import { type Clock, memoryCallbackExchange } from '@portico/core';
import { searchPortTokens } from '@portico/core/inversify';
import { fakeClock } from '@portico/core/testing';
import { Container } from 'inversify';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { rateLimiterTokens, redisLimitModule, redisModule } from './inversify.ts';
import {
  connectionsReceived,
  hasRedis,
  inspector,
  readyConnection,
  redisServer,
  soon,
} from './redis-server.test.support.ts';

const unreachableUrl = 'redis://127.0.0.1:9';

const containerWith = (url: string, clock: Clock = fakeClock()) => {
  const container = new Container();
  container.bind(searchPortTokens.clock).toConstantValue(clock);
  container.bind(searchPortTokens.exchange).toConstantValue(memoryCallbackExchange(clock));
  container.load(redisModule({ url }));
  return container;
};

describe('redisModule', () => {
  it('replaces the memory exchange with a single instance', async () => {
    const container = containerWith(unreachableUrl);
    const exchange = container.get(searchPortTokens.exchange);
    expect(exchange.degradedReason).toMatch(/^Redis is unreachable/);
    expect(container.getAll(searchPortTokens.exchange)).toEqual([exchange]);
    await container.unbindAllAsync();
  });

  it('binds the exchange when none was bound', async () => {
    const container = new Container();
    container.bind(searchPortTokens.clock).toConstantValue(fakeClock());
    container.load(redisModule({ url: unreachableUrl }));
    expect(container.get(searchPortTokens.exchange).degradedReason).toMatch(/^Redis is unreachable/);
    await container.unbindAllAsync();
  });

  it('uses the bound clock', async () => {
    const clock = fakeClock();
    const container = containerWith(unreachableUrl, clock);
    const exchange = container.get(searchPortTokens.exchange);
    const settle = async (transactionId: string) => {
      await exchange.expect([{ transactionId, legId: 'moa', deliver: () => {} }], 1000);
      exchange.release(transactionId);
    };
    await settle('first');
    expect(await exchange.offer('first', '{}')).toEqual(ok('late'));
    for (const next of ['second', 'third']) {
      clock.advance(60_000);
      await settle(next);
    }
    // No longer remembered in memory, and Redis is unreachable.
    expect((await exchange.offer('first', '{}')).isErr()).toBe(true);
    await container.unbindAllAsync();
  });

  it('redisModule can be unbound before the first get', async () => {
    await containerWith(unreachableUrl).unbindAllAsync();
  });

  it.skipIf(!hasRedis)('closes the connection with the container', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const container = containerWith(redis.url);
    container.get(searchPortTokens.exchange);
    await expect.poll(() => observer.pubSubChannels(), soon).toHaveLength(1);
    await container.unbindAllAsync();
    await expect.poll(() => observer.pubSubChannels(), soon).toEqual([]);
  });
});

/** Returns the number of connections except that of the observer. */
const clientsOf = async (observer: Awaited<ReturnType<typeof inspector>>) => (await observer.clientList()).length - 1;

describe.skipIf(!hasRedis)('redisLimitModule', () => {
  it('counts members and addresses separately, on one connection that closes with the container', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const container = new Container();
    const limit = { requests: 1, seconds: 60 };
    container.load(redisLimitModule({ url: redis.url, limits: { member: limit, address: limit } }));
    const limiters = [container.get(rateLimiterTokens.member), container.get(rateLimiterTokens.address)];
    await expect.poll(() => limiters.map(({ degradedReason }) => degradedReason), soon).toEqual([undefined, undefined]);
    for (const limiter of limiters) expect(await limiter.take('one')).toEqual({ isAllowed: true });
    const prefixes = (await observer.keys('*')).map((key) => key.replace(/[^:]*$/, ''));
    expect(prefixes.toSorted()).toEqual(['portico:limit:address:', 'portico:limit:member:']);
    expect(await clientsOf(observer)).toBe(1);
    await container.unbindAllAsync();
    await expect.poll(() => clientsOf(observer), soon).toBe(0);
  });

  it('binds no limiter and opens no connection when no limits are given', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const before = await connectionsReceived(observer);
    const container = new Container();
    container.load(redisLimitModule({ url: redis.url, limits: { member: null } }));
    // A connection of the module would have been opened before this one.
    await readyConnection(test, redis);
    expect(await connectionsReceived(observer)).toBe(before + 1);
    expect([rateLimiterTokens.member, rateLimiterTokens.address].map((token) => container.isBound(token))).toEqual([
      false,
      false,
    ]);
  });
});
