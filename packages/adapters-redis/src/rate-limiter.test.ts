import { randomUUID } from 'node:crypto';
import type { RateLimiter } from '@portico/core';
import { rateLimiterContract } from '@portico/core/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { redisRateLimiter, type RedisRateLimiterSettings } from './rate-limiter.ts';
import {
  commandsOf,
  connectedWith,
  connectionTo,
  contractRunner,
  hasRedis,
  inspector,
  longWaitMs,
  passTime,
  proxyTo,
  readyConnection,
  redisServer,
  soon,
  twoConnections,
} from './redis-server.test.support.ts';

const allowed = { isAllowed: true };

const connected = connectedWith<RedisRateLimiterSettings, RateLimiter>((settings) =>
  redisRateLimiter({ requests: 1, seconds: 60, ...settings }),
);

/** Whether a promise resolves before any timer or reply of Redis. */
const resolvesAtOnce = (result: Promise<unknown>): Promise<boolean> =>
  Promise.race([result.then(() => true), new Promise<false>((resolve) => setImmediate(resolve, false))]);

/** Waits until the limiter counts a new caller again. */
const enforcesAgain = (limiter: RateLimiter) =>
  vi.waitFor(async () => {
    const caller = randomUUID();
    await limiter.take(caller);
    expect((await limiter.take(caller)).isAllowed).toBe(false);
    expect(limiter.degradedReason).toBeUndefined();
  }, soon);

describe.skipIf(!hasRedis)('two instances on one Redis, used in turn', () => {
  const instances = twoConnections();

  rateLimiterContract(contractRunner, async () => {
    const observer = await inspector({ onTestFinished }, instances.redis);
    const limiters = instances.clients.map((client) =>
      redisRateLimiter({ client, requests: 4, seconds: 600, waitMs: longWaitMs }),
    );
    let turn = 0;
    return {
      limiter: {
        take: (caller) => limiters[turn++ % 2]!.take(caller),
        get degradedReason() {
          return limiters.find(({ degradedReason }) => degradedReason !== undefined)?.degradedReason;
        },
      },
      requests: 4,
      fresh: randomUUID,
      pass: async (seconds) => {
        await passTime(observer, seconds * 1000);
        // Refused callers are remembered until a time of the local clock.
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
        onTestFinished(() => void vi.useRealTimers());
      },
    };
  });
});

describe.skipIf(!hasRedis)('redisRateLimiter', () => {
  it.each([{ requests: Number.NaN }, { seconds: Number.NaN }, { seconds: 0 }, { waitMs: Number.NaN }])(
    'refuses numbers with which it would count nothing: %j',
    async (settings) => {
      const redis = await redisServer({ onTestFinished });
      await expect(connected({ onTestFinished }, redis, settings)).rejects.toThrow(
        new TypeError('The numbers of a rate limiter must be positive; requests may be 0.'),
      );
    },
  );

  it('stores only digests of callers, which expire with their window', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const limiter = await connected(test, redis, { seconds: 60 });
    for (const caller of ['PTY-1', 'PTY-1', '198.51.100.1']) await limiter.take(caller);
    const keys = await observer.keys('*');
    // `printf PTY-1 | openssl dgst -sha256 -binary | base64`, in the alphabet of base64url.
    expect(keys.toSorted()).toEqual([
      'portico:limit:8GWjHce6NB2fkp4bu4sqeVN4-WeKbW_6Orc_pyToKNY',
      'portico:limit:f2DYabNvbmTAyZOVdUwUZYvGIXPq3OtInqAI3f52OY0',
    ]);
    for (const key of keys) {
      const left = await observer.pTTL(key);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(60_000);
    }
  });

  it.for([30_000, 3_600_000])(
    'refuses a caller no longer than its window when the wall clock is set back %d ms',
    async (ms, test) => {
      const redis = await redisServer(test);
      const observer = await inspector(test, redis);
      const limiter = await connected(test, redis, { seconds: 60 });
      const startMs = Date.now();
      vi.useFakeTimers({ toFake: ['Date'], now: startMs });
      test.onTestFinished(() => void vi.useRealTimers());
      for (const isAllowed of [true, false]) expect(await limiter.take('one')).toMatchObject({ isAllowed });
      vi.setSystemTime(startMs - ms);
      expect(await limiter.take('one')).toMatchObject({ isAllowed: false });
      await passTime(observer, 60_000);
      vi.setSystemTime(startMs - ms + 60_000);
      expect(await limiter.take('one')).toEqual(allowed);
    },
  );

  it('counts separately from a limiter with another prefix on the same connection', async (test) => {
    const redis = await redisServer(test);
    const client = await readyConnection(test, redis);
    const [members, addresses] = ['a:', 'b:'].map((prefix) =>
      redisRateLimiter({ client, requests: 1, seconds: 60, prefix, waitMs: longWaitMs }),
    );
    expect([await members?.take('one'), await addresses?.take('one')]).toEqual([allowed, allowed]);
    expect((await members?.take('one'))?.isAllowed).toBe(false);
    const observer = await inspector(test, redis);
    expect((await observer.keys('*')).map((key) => key.slice(0, 2)).toSorted()).toEqual(['a:', 'b:']);
  });

  it('sends one command per request, and none for a caller over its limit', async (test) => {
    const redis = await redisServer(test);
    const limiter = await connected(test, redis, { requests: 2 });
    const commands = await commandsOf(test, redis);
    for (let time = 0; time < 2; time++) expect(await limiter.take('one')).toEqual(allowed);
    expect((await commands.take()).map((command) => command.slice(0, 6))).toEqual(['"EVAL"', '"EVAL"']);
    for (let time = 0; time < 5; time++) expect(await limiter.take('one')).toMatchObject({ isAllowed: false });
    expect(await commands.take()).toEqual([]);
  });
});

describe.skipIf(!hasRedis)('redisRateLimiter without a working Redis', () => {
  const unreachable = 'Redis is unreachable; rate limits are not enforced';
  const slow = 'Redis is slow or refuses writes; rate limits are not enforced';

  it('allows every request at once before Redis has started, and reports it', async (test) => {
    const redis = await redisServer(test, false);
    const limiter = redisRateLimiter({ client: connectionTo(test, redis), requests: 1, seconds: 60 });
    for (let time = 0; time < 3; time++) expect(await resolvesAtOnce(limiter.take('one'))).toBe(true);
    expect([await limiter.take('one'), limiter.degradedReason]).toEqual([allowed, unreachable]);
    await redis.start();
    await enforcesAgain(limiter);
  });

  it('allows every request at once while Redis is down, and reports it', async (test) => {
    const redis = await redisServer(test);
    const limiter = await connected(test, redis);
    await limiter.take('one');
    expect((await limiter.take('one')).isAllowed).toBe(false);
    await redis.stop();
    await vi.waitFor(() => expect(limiter.degradedReason).toBe(unreachable), soon);
    expect(await resolvesAtOnce(limiter.take('one'))).toBe(true);
    expect(await limiter.take('one')).toEqual(allowed);
    await redis.start();
    await enforcesAgain(limiter);
  });

  it('allows a request whose connection is lost', async (test) => {
    const redis = await redisServer(test);
    const proxy = await proxyTo(test, redis);
    const limiter = await connected(test, proxy);
    proxy.holdReplies();
    const pending = limiter.take('one');
    proxy.disconnect();
    expect(await pending).toEqual(allowed);
    proxy.reconnect();
    proxy.releaseReplies();
    await enforcesAgain(limiter);
  });

  it('enforces limits as soon as it is connected again after a command was lost', async (test) => {
    const redis = await redisServer(test);
    const proxy = await proxyTo(test, redis);
    const client = await readyConnection(test, proxy);
    const limiter = redisRateLimiter({ client, requests: 1, seconds: 60, waitMs: longWaitMs });
    for (let time = 0; time < 2; time++) await limiter.take('one');
    proxy.holdReplies();
    const pending = limiter.take('two');
    proxy.disconnect();
    await pending;
    proxy.reconnect();
    proxy.releaseReplies();
    await vi.waitFor(() => expect(client.isReady).toBe(true), soon);
    expect(limiter.degradedReason).toBeUndefined();
    expect(await limiter.take('one')).toMatchObject({ isAllowed: false });
  });

  it('allows the first request after waitMs while Redis hangs, and the next ones at once', async (test) => {
    const redis = await redisServer(test);
    const limiter = await connected(test, redis, { waitMs: 50 });
    await limiter.take('one');
    redis.pause();
    test.onTestFinished(redis.resume);
    expect(await limiter.take('two')).toEqual(allowed);
    expect(limiter.degradedReason).toBe(slow);
    for (let time = 0; time < 100; time++) expect(await resolvesAtOnce(limiter.take('two'))).toBe(true);
    redis.resume();
    await vi.waitFor(() => expect(limiter.degradedReason).toBeUndefined(), soon);
    await enforcesAgain(limiter);
  });

  it('allows a caller that was refused before while Redis hangs', async (test) => {
    const redis = await redisServer(test);
    const limiter = await connected(test, redis, { waitMs: 50 });
    for (let time = 0; time < 2; time++) await limiter.take('refused');
    redis.pause();
    test.onTestFinished(redis.resume);
    await limiter.take('two');
    expect(await limiter.take('refused')).toEqual(allowed);
  });

  it('allows every request while Redis is full, and reports it', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const limiter = await connected(test, redis);
    for (let time = 0; time < 2; time++) await limiter.take('refused');
    await observer.configSet('maxmemory', '1');
    for (let time = 0; time < 3; time++) expect(await limiter.take('one')).toEqual(allowed);
    // A refusal from memory shows nothing about Redis.
    for (let time = 0; time < 20; time++) {
      expect(await limiter.take('refused')).toEqual(allowed);
      await observer.ping();
      expect(limiter.degradedReason).toBe(slow);
    }
    await observer.configSet('maxmemory', '0');
    // Without another request.
    await vi.waitFor(() => expect(limiter.degradedReason).toBeUndefined(), soon);
    await enforcesAgain(limiter);
  });

  it('allows requests on a dead connection until it is detected, and reports it', async (test) => {
    const redis = await redisServer(test);
    const proxy = await proxyTo(test, redis);
    const limiter = await connected(test, proxy, { waitMs: 50 });
    proxy.freeze();
    const traffic = setInterval(() => void limiter.take('busy'), 20);
    test.onTestFinished(() => clearInterval(traffic));
    expect(await limiter.take('one')).toEqual(allowed);
    await vi.waitFor(() => expect(limiter.degradedReason).toBeDefined(), soon);
    await enforcesAgain(limiter);
  });
});
