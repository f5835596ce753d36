import { randomUUID } from 'node:crypto';
import type { RateLimiter } from '@portico/core';
import { rateLimiterContract } from '@portico/core/testing';
import { afterAll, beforeAll, describe, expect, it, type TestContext, vi } from 'vitest';
import { redisLimiterClient, redisRateLimiter, type RedisRateLimiterSettings } from './rate-limiter.ts';
import {
  commandsOf,
  hasRedis,
  inspector,
  redisServer,
  type RedisServer,
  startRedis,
  wireTo,
} from './redis-server.test.support.ts';

type Test = Pick<TestContext, 'onTestFinished'>;
type Client = ReturnType<typeof redisLimiterClient>;

const allowed = { isAllowed: true };
const soon = { timeout: 30_000, interval: 10 };

/** A connection that lives as long as the test, found or not. */
const connection = ({ onTestFinished }: Test, { url }: { readonly url: string }): Client => {
  const client = redisLimiterClient(url);
  onTestFinished(client.close);
  return client;
};

const ready = (client: Client) => vi.waitFor(() => expect(client.isReady).toBe(true), soon);

/** A limiter that has found Redis; patient, because only some tests are about Redis being slow. */
const connected = async (
  test: Test,
  redis: { readonly url: string },
  settings: Partial<RedisRateLimiterSettings> = {},
): Promise<RateLimiter> => {
  const client = connection(test, redis);
  await ready(client);
  return redisRateLimiter({ client, requests: 1, seconds: 60, waitMs: 20_000, ...settings });
};

/** Whether an answer is there before anything else can happen, such as a timer or a word from Redis. */
const comesAtOnce = (answer: Promise<unknown>): Promise<boolean> =>
  Promise.race([answer.then(() => true), new Promise<false>((resolve) => setImmediate(resolve, false))]);

/** Asks as somebody new until it is counted again. */
const countsAgain = (limiter: RateLimiter) =>
  vi.waitFor(async () => {
    const caller = randomUUID();
    await limiter.take(caller);
    expect((await limiter.take(caller)).isAllowed).toBe(false);
    expect(limiter.degradedReason).toBeUndefined();
  }, soon);

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown) => void unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', onUnhandled));
afterAll(() => {
  process.off('unhandledRejection', onUnhandled);
  expect(unhandled).toEqual([]);
});

describe.skipIf(!hasRedis)('two instances on a real Redis, asked in turn,', () => {
  let redis: RedisServer;
  let clients: readonly Client[];
  beforeAll(async () => {
    redis = await startRedis();
    clients = [redisLimiterClient(redis.url), redisLimiterClient(redis.url)];
    await Promise.all(clients.map(ready));
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await redis.stop();
  });

  rateLimiterContract({ describe, it }, () => {
    const limiters = clients.map((client) => redisRateLimiter({ client, requests: 4, seconds: 2, waitMs: 20_000 }));
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
      // By Redis's clock, which none of ours may run ahead of.
      pass: (seconds) =>
        new Promise((resolve) => {
          setTimeout(resolve, seconds * 1000 + 50);
        }),
    };
  });
});

describe.skipIf(!hasRedis)('a limiter on a real Redis', () => {
  it('leaves nobody in it: keys are digests, and go with their window', async (test) => {
    const redis = await redisServer(test);
    const look = await inspector(test, redis);
    const limiter = await connected(test, redis, { seconds: 60 });
    for (const caller of ['PTY-1', 'PTY-1', '198.51.100.1']) await limiter.take(caller);
    const keys = await look.keys('*');
    // `printf PTY-1 | openssl dgst -sha256 -binary | base64`, in the alphabet of base64url.
    expect(keys.toSorted()).toEqual([
      'portico:limit:8GWjHce6NB2fkp4bu4sqeVN4-WeKbW_6Orc_pyToKNY',
      'portico:limit:f2DYabNvbmTAyZOVdUwUZYvGIXPq3OtInqAI3f52OY0',
    ]);
    for (const key of keys) {
      const left = await look.pTTL(key);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(60_000);
    }
  });

  it('counts apart from others under its own prefix, on the same connection', async (test) => {
    const redis = await redisServer(test);
    const client = connection(test, redis);
    await ready(client);
    const [members, addresses] = ['a:', 'b:'].map((prefix) =>
      redisRateLimiter({ client, requests: 1, seconds: 60, prefix, waitMs: 20_000 }),
    );
    expect([await members?.take('one'), await addresses?.take('one')]).toEqual([allowed, allowed]);
    expect((await members?.take('one'))?.isAllowed).toBe(false);
    const look = await inspector(test, redis);
    expect((await look.keys('*')).map((key) => key.slice(0, 2)).toSorted()).toEqual(['a:', 'b:']);
  });

  it('asks Redis once for each request, and no more for a caller that has had its share', async (test) => {
    const redis = await redisServer(test);
    const limiter = await connected(test, redis, { requests: 2 });
    const commands = await commandsOf(test, redis);
    for (let time = 0; time < 2; time++) expect(await limiter.take('one')).toEqual(allowed);
    expect((await commands.take()).map((command) => command.slice(0, 6))).toEqual(['"EVAL"', '"EVAL"']);
    for (let time = 0; time < 5; time++) expect(await limiter.take('one')).toMatchObject({ isAllowed: false });
    expect(await commands.take()).toEqual([]);
  });
});

describe.skipIf(!hasRedis)('without Redis everybody is let through, at once, and it is said:', () => {
  const gone = 'Redis cannot be reached: nobody is limited';
  const slow = 'Redis is slow or takes no keys: nobody is limited';

  it('when it was never there, until it comes', async (test) => {
    const redis = await redisServer(test, false);
    const limiter = redisRateLimiter({ client: connection(test, redis), requests: 1, seconds: 60 });
    for (let time = 0; time < 3; time++) expect(await comesAtOnce(limiter.take('one'))).toBe(true);
    expect([await limiter.take('one'), limiter.degradedReason]).toEqual([allowed, gone]);
    await redis.start();
    await countsAgain(limiter);
  });

  it('when it goes, until it is back', async (test) => {
    const redis = await redisServer(test);
    const limiter = await connected(test, redis);
    await limiter.take('one');
    expect((await limiter.take('one')).isAllowed).toBe(false);
    await redis.stop();
    await vi.waitFor(() => expect(limiter.degradedReason).toBe(gone), soon);
    expect(await comesAtOnce(limiter.take('one'))).toBe(true);
    expect(await limiter.take('one')).toEqual(allowed);
    await redis.start();
    await countsAgain(limiter);
  });

  it('when it goes in the middle of a question', async (test) => {
    const redis = await redisServer(test);
    const wire = await wireTo(test, redis);
    const limiter = await connected(test, wire);
    wire.hold();
    const asked = limiter.take('one');
    wire.cut();
    expect(await asked).toEqual(allowed);
    wire.mend();
    wire.discard();
    await countsAgain(limiter);
  });

  it('when it hangs: the first waits a little, the others do not', async (test) => {
    const redis = await redisServer(test);
    const limiter = await connected(test, redis, { waitMs: 50 });
    await limiter.take('one');
    redis.pause();
    test.onTestFinished(redis.resume);
    expect(await limiter.take('two')).toEqual(allowed);
    expect(limiter.degradedReason).toBe(slow);
    for (let time = 0; time < 100; time++) expect(await comesAtOnce(limiter.take('two'))).toBe(true);
    redis.resume();
    await vi.waitFor(() => expect(limiter.degradedReason).toBeUndefined(), soon);
    await countsAgain(limiter);
  });

  it('when it hangs, also to those whom it has refused', async (test) => {
    const redis = await redisServer(test);
    const limiter = await connected(test, redis, { waitMs: 50 });
    for (let time = 0; time < 2; time++) await limiter.take('refused');
    redis.pause();
    test.onTestFinished(redis.resume);
    await limiter.take('two');
    expect(await limiter.take('refused')).toEqual(allowed);
  });

  it('when it is full', async (test) => {
    const redis = await redisServer(test);
    const look = await inspector(test, redis);
    const limiter = await connected(test, redis);
    for (let time = 0; time < 2; time++) await limiter.take('refused');
    await look.configSet('maxmemory', '1');
    for (let time = 0; time < 3; time++) expect(await limiter.take('one')).toEqual(allowed);
    // Whoever was refused before is known here, and says nothing of Redis.
    for (let time = 0; time < 20; time++) {
      expect(await limiter.take('refused')).toEqual(allowed);
      await look.ping();
      expect(limiter.degradedReason).toBe(slow);
    }
    await look.configSet('maxmemory', '0');
    await countsAgain(limiter);
  });

  it('when the connection is dead without a word, until that is found out', async (test) => {
    const redis = await redisServer(test);
    const wire = await wireTo(test, redis);
    const limiter = await connected(test, wire, { waitMs: 50 });
    wire.kill();
    const traffic = setInterval(() => void limiter.take('busy'), 20);
    test.onTestFinished(() => clearInterval(traffic));
    expect(await limiter.take('one')).toEqual(allowed);
    await vi.waitFor(() => expect(limiter.degradedReason).toBeDefined(), soon);
    await countsAgain(limiter);
  });
});
