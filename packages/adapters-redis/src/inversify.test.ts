import { type Clock, memoryCallbackExchange } from '@portico/core';
import { searchPortTokens } from '@portico/core/inversify';
import { fakeClock } from '@portico/core/testing';
import { Container } from 'inversify';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { rateLimiterTokens, redisLimitModule, redisModule } from './inversify.ts';
import { hasRedis, inspector, redisServer } from './redis-server.test.support.ts';

const nowhere = 'redis://127.0.0.1:9';
const soon = { timeout: 5000, interval: 5 };

const containerWith = (url: string, clock: Clock = fakeClock()) => {
  const container = new Container();
  container.bind(searchPortTokens.clock).toConstantValue(clock);
  container.bind(searchPortTokens.exchange).toConstantValue(memoryCallbackExchange(clock));
  container.load(redisModule({ url }));
  return container;
};

describe('callbacks by Redis', () => {
  it('take the place of those in memory, and are the same for everybody', async () => {
    const container = containerWith(nowhere);
    const exchange = container.get(searchPortTokens.exchange);
    expect(exchange.degradedReason).toMatch(/^Redis cannot be reached/);
    expect(container.getAll(searchPortTokens.exchange)).toEqual([exchange]);
    await container.unbindAllAsync();
  });

  it('need nothing in whose place they come', async () => {
    const container = new Container();
    container.bind(searchPortTokens.clock).toConstantValue(fakeClock());
    container.load(redisModule({ url: nowhere }));
    expect(container.get(searchPortTokens.exchange).degradedReason).toMatch(/^Redis cannot be reached/);
    await container.unbindAllAsync();
  });

  it('go by the clock that is bound', async () => {
    const clock = fakeClock();
    const container = containerWith(nowhere, clock);
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
    // No longer remembered here, and Redis is not there to be asked.
    expect((await exchange.offer('first', '{}')).isErr()).toBe(true);
    await container.unbindAllAsync();
  });

  it('end without having begun', async () => {
    await containerWith(nowhere).unbindAllAsync();
  });

  it.skipIf(!hasRedis)('end their connection with the container', async (test) => {
    const redis = await redisServer(test);
    const look = await inspector(test, redis);
    const container = containerWith(redis.url);
    container.get(searchPortTokens.exchange);
    await expect.poll(() => look.pubSubChannels(), soon).toHaveLength(1);
    await container.unbindAllAsync();
    await expect.poll(() => look.pubSubChannels(), soon).toEqual([]);
  });
});

/** How many connections there are beside the one that looks. */
const clientsOf = async (look: Awaited<ReturnType<typeof inspector>>) => (await look.clientList()).length - 1;

describe.skipIf(!hasRedis)('limits by Redis', () => {
  it('count members and addresses apart, on one connection that ends with the container', async (test) => {
    const redis = await redisServer(test);
    const look = await inspector(test, redis);
    const container = new Container();
    const limit = { requests: 1, seconds: 60 };
    container.load(redisLimitModule({ url: redis.url, limits: { member: limit, address: limit } }));
    const limiters = [container.get(rateLimiterTokens.member), container.get(rateLimiterTokens.address)];
    await expect.poll(() => limiters.map(({ degradedReason }) => degradedReason), soon).toEqual([undefined, undefined]);
    for (const limiter of limiters) expect(await limiter.take('one')).toEqual({ isAllowed: true });
    const prefixes = (await look.keys('*')).map((key) => key.replace(/[^:]*$/, ''));
    expect(prefixes.toSorted()).toEqual(['portico:limit:address:', 'portico:limit:member:']);
    expect(await clientsOf(look)).toBe(1);
    await container.unbindAllAsync();
    await expect.poll(() => clientsOf(look), soon).toBe(0);
  });

  it('that are not given are not there, and connect to nothing', async (test) => {
    const redis = await redisServer(test);
    const look = await inspector(test, redis);
    const container = new Container();
    container.load(redisLimitModule({ url: redis.url, limits: { member: null } }));
    expect([rateLimiterTokens.member, rateLimiterTokens.address].map((token) => container.isBound(token))).toEqual([
      false,
      false,
    ]);
    await container.unbindAllAsync();
    expect(await clientsOf(look)).toBe(0);
  });
});
