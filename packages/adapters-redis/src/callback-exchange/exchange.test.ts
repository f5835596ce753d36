import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { CallbackExchange, Failure, OfferOutcome } from '@portico/core';
import { callbackExchangeContract } from '@portico/core/testing';
import { ok, type Result } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import {
  commandsOf,
  hasRedis,
  inspector,
  redisServer,
  type RedisServer,
  startRedis,
  wireTo,
} from '../redis-server.test.support.ts';
import type { RedisCallbackExchange } from './exchange.ts';
import {
  anInstance,
  callback,
  connected,
  eventually,
  exchangeAt,
  instances,
  overloaded,
  ttlMs,
  waitingAt,
} from './exchange.test.support.ts';

const byText = (one = '', other = '') => Number(one > other) - Number(one < other);

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown) => void unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', onUnhandled));
afterAll(() => {
  process.off('unhandledRejection', onUnhandled);
  expect(unhandled).toEqual([]);
});

describe.skipIf(!hasRedis)('on a real Redis', () => {
  let redis: RedisServer;
  const open: RedisCallbackExchange[] = [];
  const opened = () => {
    const exchange = exchangeAt(redis);
    open.push(exchange);
    return exchange;
  };
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await Promise.all(open.map((exchange) => exchange.close()));
    await redis.stop();
  });

  describe('one instance keeps', () => {
    callbackExchangeContract({ describe, it }, async () => {
      const exchange = opened();
      await connected(exchange);
      return { exchange, fresh: randomUUID };
    });
  });

  describe('two instances keep, each callback landing on the other one,', () => {
    callbackExchangeContract({ describe, it }, async () => {
      const [home, elsewhere] = [opened(), opened()];
      await connected(home, elsewhere);
      const exchange: CallbackExchange = {
        expect: (expectations, ttlMs) => home.expect(expectations, ttlMs),
        release: (transactionId) => home.release(transactionId),
        // The fate is known elsewhere before the owner has been woken.
        offer: (transactionId, callback, isVerified) => {
          const before = home.pending;
          return elsewhere.offer(transactionId, callback, isVerified).map(async (fate) => {
            if (fate === 'delivered') await eventually(() => home.pending, before - 1);
            return fate;
          });
        },
        get pending() {
          return home.pending;
        },
      };
      return { exchange, fresh: randomUUID };
    });
  });
});

describe.skipIf(!hasRedis).concurrent('a callback that lands elsewhere', () => {
  it.for([
    ['in an order of its own', '{ "b":1,\n "a" : 1.0, "b":2 }'],
    ['with big numbers', '{"n":12345678901234567890123456789,"x":1e400,"y":-0.0}'],
    ['with text of every kind', JSON.stringify({ text: 'ñ 漢字 🩺 \u0000 \u2028 \ufeff "\\' })],
    ['of 5 MB', JSON.stringify({ text: '漢'.repeat(1_747_000) })],
  ] as const)('is delivered as it came %s', async ([, text], test) => {
    const [home, elsewhere] = await instances(test, await redisServer(test), 2);
    const { id, delivered } = await waitingAt(home);
    expect(await elsewhere.offer(id, text)).toEqual(ok('delivered'));
    await eventually(() => delivered.length, 1);
    expect(Buffer.from(delivered[0] ?? '').equals(Buffer.from(text))).toBe(true);
    expect(home.pending).toBe(0);
  });

  it('is told a duplicate, a late one or an unknown one wherever it lands', async (test) => {
    const all = await instances(test, await redisServer(test), 3);
    const [home, elsewhere] = all;
    const fatesOf = async (id: string) => {
      const fates: Result<OfferOutcome, Failure>[] = [];
      for (const exchange of all) fates.push(await exchange.offer(id, callback));
      return fates.map((fate) => fate.unwrapOr(undefined));
    };
    const { id: first } = await waitingAt(home);
    await elsewhere.offer(first, callback);
    expect(await fatesOf(first)).toEqual(['duplicate', 'duplicate', 'duplicate']);

    const { id: second } = await waitingAt(home);
    expect(await home.offer(second, callback)).toEqual(ok('delivered'));
    expect(await fatesOf(second)).toEqual(['duplicate', 'duplicate', 'duplicate']);

    const { id: third, delivered } = await waitingAt(home);
    home.release(third);
    expect(await fatesOf(third)).toEqual(['late', 'late', 'late']);
    expect(delivered).toEqual([]);
    expect(await fatesOf(randomUUID())).toEqual(['unknown', 'unknown', 'unknown']);
  });

  it('stays a duplicate when its search is released after it', async (test) => {
    const [home, elsewhere] = await instances(test, await redisServer(test), 2);
    const { id, delivered } = await waitingAt(home);
    await elsewhere.offer(id, callback);
    await eventually(() => delivered.length, 1);
    home.release(id);
    expect(await elsewhere.offer(id, callback)).toEqual(ok('duplicate'));
  });

  it('is the first one on exactly one instance, when all are given it at the same moment', async (test) => {
    const all = await instances(test, await redisServer(test), 4);
    for (let round = 0; round < 100; round++) {
      const { id, delivered } = await waitingAt(all[round % all.length]!);
      const offers = all.map((exchange, nth) => exchange.offer(id, JSON.stringify({ nth })));
      const fates = (await Promise.all(offers)).map((fate) => fate.unwrapOr(undefined));
      expect(fates.toSorted(byText)).toEqual(['delivered', 'duplicate', 'duplicate', 'duplicate']);
      await eventually(() => delivered.length, 1);
      expect(delivered).toEqual([JSON.stringify({ nth: fates.indexOf('delivered') })]);
    }
    expect(all.map(({ pending }) => pending)).toEqual([0, 0, 0, 0]);
  });

  it('is first on one instance only, when each is given it many times', async (test) => {
    const [home, elsewhere] = await instances(test, await redisServer(test), 2);
    const { id, delivered } = await waitingAt(home);
    const offers = Array.from({ length: 50 }, (_, nth) =>
      (nth % 2 ? home : elsewhere).offer(id, JSON.stringify({ nth })),
    );
    const fates = (await Promise.all(offers)).map((fate) => fate.unwrapOr(undefined));
    expect(fates.filter((fate) => fate === 'delivered')).toHaveLength(1);
    await eventually(() => delivered, [JSON.stringify({ nth: fates.indexOf('delivered') })]);
  });
});

/** CRC16-XMODEM of what is between the first braces, as the Redis Cluster specification counts slots. */
const slotOf = (key: string): number => {
  let crc = 0;
  for (const byte of Buffer.from(/\{([^}]+)\}/.exec(key)?.[1] ?? key)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc % 16_384;
};

describe.skipIf(!hasRedis).concurrent('what Redis is asked for', () => {
  it('is at most six commands, for a search of two legs whose callbacks both land elsewhere', async (test) => {
    const redis = await redisServer(test);
    const [home, elsewhere] = await instances(test, redis, 2);
    const searches = async () => {
      const ids = [randomUUID(), randomUUID()];
      const delivered: string[] = [];
      const deliver = (text: string) => void delivered.push(text);
      await home.expect(
        ids.map((transactionId) => ({ transactionId, legId: 'moa', deliver })),
        ttlMs,
      );
      for (const id of ids) await elsewhere.offer(id, callback);
      await eventually(() => delivered.length, 2);
      for (const id of ids) home.release(id);
    };
    await searches(); // the script is known from now on
    const { take } = await commandsOf(test, redis);
    await searches();
    const commands = await take();
    expect(commands.map((command) => /^"(\w+)"/.exec(command)?.[1]).toSorted(byText)).toEqual([
      'EVALSHA',
      'EVALSHA',
      'GET',
      'GET',
      'SET',
      'SET',
    ]);
  });

  it('is one round trip, for all legs of a search', async (test) => {
    const redis = await redisServer(test);
    const wire = await wireTo(test, redis);
    const exchange = anInstance(test, wire, { commandTimeoutMs: 5000 });
    await connected(exchange);
    const look = await inspector(test, redis);
    await eventually(async () => (await look.pubSubChannels()).length, 1);
    wire.hold();
    const legs = ['one', 'two', 'three'].map((transactionId) => ({ transactionId, legId: 'moa', deliver: () => {} }));
    let isRegistered = false;
    const registered = exchange.expect(legs, ttlMs).map(() => {
      isRegistered = true;
    });
    await eventually(async () => (await look.keys('*{*')).length, 3);
    expect(isRegistered).toBe(false);
    wire.discard();
    expect(await registered).toEqual(ok(undefined));
  });

  it('holds the registration back from whoever posts, until Redis has it', async (test) => {
    const redis = await redisServer(test);
    const [home] = await instances(test, redis, 1);
    const look = await inspector(test, redis);
    for (let round = 0; round < 20; round++) {
      const { id } = await waitingAt(home);
      expect(await look.exists(`portico:{${id}}:leg`)).toBe(1);
    }
  });

  it.for([undefined, 'a prefix/'])(
    'lies under the prefix %s, ends by itself, and fits a cluster',
    async (own, test) => {
      const redis = await redisServer(test);
      const look = await inspector(test, redis);
      const prefix = own ?? 'portico:';
      const [home, elsewhere] = await instances(test, redis, 2, {
        rememberMs: 5000,
        ...(own !== undefined && { prefix: own }),
      });
      await eventually(async () => (await look.pubSubChannels()).length, 2);
      for (const channel of await look.pubSubChannels()) expect(channel.startsWith(prefix)).toBe(true);
      const ids = Array.from({ length: 30 }, () => randomUUID());
      for (const id of ids) await waitingAt(home, id);
      const keepers = async () =>
        Promise.all((await look.keys('*{*')).map(async (key) => [key, await look.pTTL(key)] as const));
      for (const [key, left] of await keepers()) {
        expect(key.startsWith(`${prefix}{`)).toBe(true);
        expect(left).toBeGreaterThan(5000);
        expect(left).toBeLessThanOrEqual(ttlMs + 5000);
      }
      for (const id of ids.slice(0, 10)) await elsewhere.offer(id, callback);
      for (const id of ids.slice(10, 20)) home.release(id);
      for (const id of ids.slice(20)) await home.offer(id, callback);
      await eventually(() => home.pending, 0);
      const kept = await keepers();
      for (const [key, left] of kept) {
        expect(key.startsWith(`${prefix}{`)).toBe(true);
        expect(left).toBeGreaterThan(0);
        expect(left).toBeLessThanOrEqual(ttlMs);
      }
      const callbackKeys = kept.map(([key]) => key).filter((key) => key.endsWith(':callback'));
      expect(callbackKeys).toHaveLength(10);
      for (const key of callbackKeys) expect(slotOf(key.replace(/:callback$/, ':leg'))).toBe(slotOf(key));
      expect(new Set(callbackKeys.map(slotOf)).size).toBeGreaterThan(1);
    },
  );

  it('leaves nothing behind', async (test) => {
    const redis = await redisServer(test);
    const look = await inspector(test, redis);
    const [home, elsewhere] = await instances(test, redis, 2, { rememberMs: 200 });
    const used = async () => Number(/^used_memory:(\d+)/m.exec(await look.info('memory'))?.[1]);
    const body = JSON.stringify({ text: 'x'.repeat(20_000) });
    const before = await used();
    const searches = await Promise.all(Array.from({ length: 200 }, () => waitingAt(home, randomUUID(), 5000)));
    for (const [nth, { id }] of searches.entries())
      if (nth % 10 > 0) await elsewhere.offer(id, body);
      else home.release(id);
    expect((await used()) - before).toBeGreaterThan(3_000_000);
    await eventually(() => home.pending, 0);
    await eventually(() => look.dbSize(), 0, { timeout: 15_000, interval: 50 });
    expect((await used()) - before).toBeLessThan(500_000);
  });
});

describe.skipIf(!hasRedis).concurrent('while Redis is not there', () => {
  const absence = 'Redis cannot be reached: a callback reaches its search only on the instance where the search waits';

  it('instances start all the same, do what they can alone, and heal when it comes', async (test) => {
    const redis = await redisServer(test, false);
    const [home, elsewhere] = [anInstance(test, redis), anInstance(test, redis)];
    expect([home.degradedReason, elsewhere.degradedReason]).toEqual([absence, absence]);

    const { id, delivered } = await waitingAt(home);
    expect([await home.offer(id, callback), delivered]).toEqual([ok('delivered'), [callback]]);
    expect(await home.offer(id, callback)).toEqual(ok('duplicate'));

    const waiting = await waitingAt(home);
    expect(await elsewhere.offer(waiting.id, callback)).toEqual(overloaded);

    await redis.start();
    await connected(home, elsewhere);
    const look = await inspector(test, redis);
    await eventually(() => look.exists(`portico:{${waiting.id}}:leg`), 1);
    expect(await elsewhere.offer(waiting.id, callback)).toEqual(ok('delivered'));
    await eventually(() => waiting.delivered, [callback]);
  });

  it('a release leaves the exchange healthy, and what was released stays late here', async (test) => {
    const redis = await redisServer(test, false);
    const home = anInstance(test, redis);
    const { id } = await waitingAt(home);
    home.release(id);
    expect(await home.offer(id, callback)).toEqual(ok('late'));
    await redis.start();
    await connected(home);
    const look = await inspector(test, redis);
    await eventually(async () => (await look.pubSubChannels()).length, 1);
    expect(await look.keys('*{*')).toEqual([]);
  });

  it('searches wait on, and get what comes when it is back, empty', async (test) => {
    const redis = await redisServer(test);
    const [home, elsewhere] = await instances(test, redis, 2);
    const waiting = await Promise.all(Array.from({ length: 1100 }, () => waitingAt(home)));
    await redis.stop();
    await eventually(() => [home.degradedReason, elsewhere.degradedReason], [absence, absence]);
    const [during, local] = [await waitingAt(home), await waitingAt(home)];
    expect(await elsewhere.offer(during.id, callback)).toEqual(overloaded);
    expect(await home.offer(local.id, callback)).toEqual(ok('delivered'));

    await redis.start();
    await connected(home, elsewhere);
    const look = await inspector(test, redis);
    await eventually(async () => (await look.keys('*{*')).length, 1101);
    expect(await look.ttl(`portico:{${during.id}}:leg`)).toBeGreaterThan(60);
    for (const { id } of [during, ...waiting]) expect(await elsewhere.offer(id, callback)).toEqual(ok('delivered'));
    await eventually(() => home.pending, 0);
    expect([during, ...waiting, local].every(({ delivered }) => delivered.join() === callback)).toBe(true);
  });

  it('for its owner only, a callback is left, and its wake-up made up for', async (test) => {
    const redis = await redisServer(test);
    const wire = await wireTo(test, redis);
    const home = anInstance(test, wire);
    const [elsewhere] = await instances(test, redis, 1);
    await connected(home);
    const waiting = await Promise.all([waitingAt(home), waitingAt(home)]);
    wire.cut();
    await eventually(() => home.degradedReason, absence);
    for (const { id } of waiting) expect(await elsewhere.offer(id, callback)).toEqual(ok('delivered'));
    expect(home.pending).toBe(2);
    wire.mend();
    await connected(home);
    for (const { delivered } of waiting) await eventually(() => delivered, [callback]);
    expect(home.pending).toBe(0);
  });

  it('a connection that Redis ends is no more than a pause', async (test) => {
    const redis = await redisServer(test);
    const [home, elsewhere] = await instances(test, redis, 2);
    const look = await inspector(test, redis);
    for (let round = 0; round < 5; round++) {
      const { id, delivered } = await waitingAt(home);
      await look.sendCommand(['CLIENT', 'KILL', 'TYPE', 'pubsub']);
      await eventually(async () => (await elsewhere.offer(id, callback)).isOk(), true);
      await eventually(() => delivered, [callback]);
      await connected(home, elsewhere);
    }
  });
});

describe.skipIf(!hasRedis).concurrent('while Redis is slow', () => {
  const slowness = 'Redis is slow: a callback reaches its search only on the instance where the search waits';
  const settings = { commandTimeoutMs: 150 };

  it('searches go on alone, others are refused, and everything heals without traffic', async (test) => {
    const redis = await redisServer(test);
    const [home, elsewhere] = await instances(test, redis, 2, settings);
    const before = await waitingAt(home);
    redis.pause();
    // None of these waits for Redis, which is silent until the test resumes it.
    const { id, delivered } = await waitingAt(home);
    expect(home.degradedReason).toBe(slowness);
    expect([await home.offer(id, callback), delivered]).toEqual([ok('delivered'), [callback]]);
    expect([await elsewhere.offer(before.id, callback), elsewhere.degradedReason]).toEqual([overloaded, slowness]);
    const during = await waitingAt(home);

    redis.resume();
    await connected(home, elsewhere);
    expect(await elsewhere.offer(during.id, callback)).toEqual(ok('delivered'));
    await eventually(() => during.delivered, [callback]);
    // What was refused may have been heard all the same: the seller sends it again, and it is delivered once.
    expect((await elsewhere.offer(before.id, callback)).isOk()).toBe(true);
    await eventually(() => before.delivered, [callback]);
    expect(home.pending).toBe(0);
  });

  it('a local callback is delivered once, though Redis never said so', async (test) => {
    const redis = await redisServer(test);
    const [home, elsewhere] = await instances(test, redis, 2, settings);
    const { id, delivered } = await waitingAt(home);
    redis.pause();
    const fates = await Promise.all([home.offer(id, callback), home.offer(id, callback)]);
    expect(fates).toEqual([ok('delivered'), ok('duplicate')]);
    redis.resume();
    await connected(home, elsewhere);
    expect(await elsewhere.offer(id, callback)).toEqual(ok('duplicate'));
    expect(delivered).toEqual([callback]);
  });
});

/** A process with an exchange, which should end by itself. Gives its exit code. */
const processWith = (
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  url: string,
  then: string,
  until = 'ready',
) => {
  const code = `
      const { redisCallbackExchange } = await import(${JSON.stringify(new URL('exchange.ts', import.meta.url).href)});
      const clock = { now: Date.now, monotonic: () => performance.now(), after: (ms, task) => {
        const timer = setTimeout(task, ms);
        return () => clearTimeout(timer);
      } };
      const exchange = redisCallbackExchange({ url: ${JSON.stringify(url)}, clock, commandTimeoutMs: 100 });
      const expectOne = () => exchange.expect([{ transactionId: 't', legId: 'moa', deliver: () => {} }], 1000);
      const pass = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      ${until === 'ready' ? 'while (exchange.degradedReason) await pass(5);' : ''}
      ${then}`;
  const child = spawn(process.execPath, ['--conditions=@portico/source', '--input-type=module', '-e', code], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { ended: once(child, 'close').then(([exitCode]) => exitCode as unknown) };
};

describe.skipIf(!hasRedis).concurrent('the end of an instance', () => {
  it('leaves no handle open', async (test) => {
    const redis = await redisServer(test);
    const { ended } = processWith(test, redis.url, 'await expectOne(); await exchange.close();');
    expect(await ended).toBe(0);
  });

  it('leaves none open either when it never found Redis', async (test) => {
    const redis = await redisServer(test, false);
    const { ended } = processWith(test, redis.url, 'await pass(100); await exchange.close();', 'at once');
    expect(await ended).toBe(0);
  });

  it('closes the connection, and may come twice', async (test) => {
    const redis = await redisServer(test);
    const look = await inspector(test, redis);
    const [exchange] = await instances(test, redis, 1);
    await eventually(async () => (await look.pubSubChannels()).length, 1);
    await exchange.close();
    await eventually(() => look.pubSubChannels(), []);
    await exchange.close();
    expect(exchange.degradedReason).toBeDefined();
  });

  it('comes at once while Redis is away', async (test) => {
    const redis = await redisServer(test);
    // Longer than a test may take: it must not wait for a reply.
    const exchange = exchangeAt(redis, { commandTimeoutMs: 600_000 });
    await connected(exchange);
    await waitingAt(exchange);
    await redis.stop();
    await exchange.close();
  });
});

describe.skipIf(!hasRedis).concurrent('what was found by trying:', () => {
  it('a connection that breaks before the first subscription is made is subscribed the next time', async (test) => {
    const redis = await redisServer(test);
    const wire = await wireTo(test, redis);
    wire.onAsked((asked) => {
      if (!/\r\nSUBSCRIBE\r\n/i.test(asked)) return;
      wire.onAsked();
      wire.cut();
      wire.mend();
    });
    const home = anInstance(test, wire);
    const [elsewhere] = await instances(test, redis, 1);
    const look = await inspector(test, redis);
    await eventually(async () => (await look.pubSubChannels()).length, 2);
    await connected(home);
    const { id, delivered } = await waitingAt(home);
    await elsewhere.offer(id, callback);
    await eventually(() => delivered.length, 1);
  });

  it('closing does not hang while Redis is silent', async (test) => {
    const redis = await redisServer(test);
    const exchange = exchangeAt(redis, { commandTimeoutMs: 100 });
    await connected(exchange);
    redis.pause();
    await waitingAt(exchange);
    await exchange.close();
    redis.resume();
  });

  it('reports a Redis that takes no more keys, and lets the seller retry a callback that could not be placed', async (test) => {
    const redis = await redisServer(test);
    const [home, elsewhere] = await instances(test, redis, 2);
    const look = await inspector(test, redis);
    await look.configSet('maxmemory', '1');
    const { id } = await waitingAt(home);
    const fate = await elsewhere.offer(id, callback); // not `unknown`
    expect([home.degradedReason === undefined, fate]).toEqual([false, overloaded]);
  });

  it('a callback that comes elsewhere before its owner is back from a restart of Redis may be sent again', async (test) => {
    const redis = await redisServer(test);
    const wire = await wireTo(test, redis);
    const home = anInstance(test, wire, { settlingMs: 5000 });
    const [elsewhere] = await instances(test, redis, 1, { settlingMs: 5000 });
    await connected(home);
    const { id } = await waitingAt(home);
    wire.cut();
    await redis.stop();
    await eventually(() => elsewhere.degradedReason !== undefined, true);
    await redis.start();
    await connected(elsewhere);
    expect(await elsewhere.offer(id, callback)).toEqual(overloaded); // not `unknown`
  });

  it('a callback that Redis took, and lost before its owner had read it, is delivered all the same', async (test) => {
    const redis = await redisServer(test);
    const wire = await wireTo(test, redis);
    const home = anInstance(test, wire, { settlingMs: 5000 });
    const [elsewhere] = await instances(test, redis, 1, { settlingMs: 5000 });
    await connected(home);
    const { id, delivered } = await waitingAt(home);
    wire.cut();
    await eventually(() => home.degradedReason !== undefined, true);
    expect(await elsewhere.offer(id, callback)).toEqual(ok('delivered'));
    await redis.stop();
    await redis.start();
    wire.mend();
    await eventually(() => delivered, [callback]);
    expect(home.pending).toBe(0);
  });

  it('a connection that is dead without a word is given up, though searches go on', async (test) => {
    const redis = await redisServer(test);
    const wire = await wireTo(test, redis);
    const home = anInstance(test, wire, { commandTimeoutMs: 100 });
    await connected(home);
    await waitingAt(home);
    wire.kill();
    await waitingAt(home);
    expect(home.degradedReason).toBeDefined();
    const afterASearch = async () => {
      await waitingAt(home);
      return home.degradedReason;
    };
    await eventually(afterASearch, undefined, { timeout: 60_000, interval: 500 });
  });

  it('a callback that was delivered at home while Redis was away is a duplicate elsewhere afterwards', async (test) => {
    const redis = await redisServer(test);
    const wire = await wireTo(test, redis);
    const home = anInstance(test, wire);
    const [elsewhere] = await instances(test, redis, 1);
    await connected(home);
    const [one, other] = [await waitingAt(home), await waitingAt(home)];
    wire.cut();
    await eventually(() => home.degradedReason !== undefined, true);
    expect(await home.offer(one.id, callback)).toEqual(ok('delivered'));
    home.release(other.id);
    wire.mend();
    const look = await inspector(test, redis);
    const settled = () => Promise.all([one, other].map(({ id }) => look.get(`portico:{${id}}:leg`)));
    await eventually(settled, ['d', 'r']);
    expect([await elsewhere.offer(one.id, callback), await elsewhere.offer(other.id, callback)]).toEqual([
      ok('duplicate'),
      ok('late'),
    ]);
  });

  it('ends its process though it is closed while Redis is silent', async (test) => {
    const redis = await redisServer(test);
    const wire = await wireTo(test, redis);
    // Redis goes silent; then the connection goes too, and the instance is closed.
    let isSilent = false;
    wire.onAsked((asked) => {
      if (!isSilent && asked.includes(':leg')) {
        isSilent = true;
        wire.kill();
        setTimeout(wire.cut, 500);
      }
    });
    const { ended } = processWith(test, wire.url, 'await expectOne(); await pass(800); await exchange.close();');
    expect(await ended).toBe(0);
  });
});

/** 30 000 searches of two legs that wait, and then no more. */
const flood = async (exchange: CallbackExchange) => {
  const ids = Array.from({ length: 60_000 }, (_, nth) => `flood-${nth}`);
  const legs = ids.map((transactionId) => ({ transactionId, legId: 'moa', deliver: () => {} }));
  const searches = Array.from({ length: legs.length / 2 }, (_, nth) => legs.slice(2 * nth, 2 * nth + 2));
  const results = await Promise.all(searches.map((pair) => exchange.expect(pair, ttlMs)));
  for (const id of ids) exchange.release(id);
  return results;
};

// One after the other, because they keep the processor to themselves.
describe.skipIf(!hasRedis)('many searches', () => {
  it('do not pile up while Redis is not there', async (test) => {
    const redis = await redisServer(test);
    const [home] = await instances(test, redis, 1);
    await redis.stop();
    await eventually(() => home.degradedReason !== undefined, true);
    const results = await flood(home);
    expect(results.every((result) => result.isOk())).toBe(true);
    expect(home.pending).toBe(0);
    await redis.start();
    await connected(home);
    const look = await inspector(test, redis);
    expect(await look.keys('*{*')).toEqual([]);
  });

  it('do not pile up while Redis is slow', async (test) => {
    const redis = await redisServer(test);
    const [home] = await instances(test, redis, 1, { commandTimeoutMs: 150 });
    redis.pause();
    const results = await flood(home);
    expect(results.every((result) => result.isOk())).toBe(true);
    expect(home.pending).toBe(0);
    redis.resume();
    await connected(home);
    const look = await inspector(test, redis);
    const calls = Number(/cmdstat_set:calls=(\d+)/.exec(await look.info('commandstats'))?.[1]);
    // The queue is full at 50,000; of what was released meanwhile, the newest 10,000 are told afterwards.
    expect(calls).toBeLessThanOrEqual(60_100);
  });

  it('what could not be registered while Redis was silent is registered when it answers again', async (test) => {
    const redis = await redisServer(test);
    const [home, elsewhere] = await instances(test, redis, 2, { commandTimeoutMs: 500 });
    redis.pause();
    const ids = Array.from({ length: 51_000 }, (_, nth) => `flood-${nth}`);
    await home.expect(
      ids.map((transactionId) => ({ transactionId, legId: 'moa', deliver: () => {} })),
      ttlMs,
    );
    redis.resume();
    await connected(home);
    await expect
      .poll(async () => elsewhere.offer(ids.at(-1) ?? '', callback), { timeout: 60_000 })
      .toEqual(ok('delivered'));
  });
});
