import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { CallbackExchange, Failure, OfferOutcome } from '@portico/core';
import { callbackExchangeContract } from '@portico/core/testing';
import { ok, type Result } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import {
  commandsOf,
  contractRunner,
  hasRedis,
  inspector,
  redisServer,
  type RedisServer,
  startRedis,
  proxyTo,
} from '../redis-server.test.support.ts';
import type { RedisCallbackExchange } from './exchange.ts';
import { compileCache } from './instance-process.test.support.ts';
import {
  acrossInstances,
  anInstance,
  callback,
  clockFasterBy,
  connected,
  eventually,
  exchangeAt,
  instances,
  overloaded,
  ttlMs,
  waitingAt,
} from './exchange.test.support.ts';

const byText = (one = '', other = '') => Number(one > other) - Number(one < other);

describe.skipIf(!hasRedis)('redisCallbackExchange', () => {
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

  describe('with one instance', () => {
    callbackExchangeContract(contractRunner, async () => {
      const exchange = opened();
      await connected(exchange);
      return { exchange, fresh: randomUUID };
    });
  });

  describe('with two instances, where callbacks arrive on the other one', () => {
    callbackExchangeContract(contractRunner, async () => {
      const [owner, remote] = [opened(), opened()];
      await connected(owner, remote);
      return { exchange: acrossInstances(owner, remote), fresh: randomUUID };
    });
  });
});

describe.skipIf(!hasRedis).concurrent('a callback on another instance', () => {
  it.for([
    ['with unordered and repeated keys', '{ "b":1,\n "a" : 1.0, "b":2 }'],
    ['with big numbers', '{"n":12345678901234567890123456789,"x":1e400,"y":-0.0}'],
    ['with special characters', JSON.stringify({ text: 'ñ 漢字 🩺 \u0000 \u2028 \ufeff "\\' })],
    ['of 5 MB', JSON.stringify({ text: '漢'.repeat(1_747_000) })],
  ] as const)('delivers a callback from another instance byte for byte %s', async ([, text], test) => {
    const [owner, remote] = await instances(test, await redisServer(test), 2);
    const { id, delivered } = await waitingAt(owner);
    expect(await remote.offer(id, text)).toEqual(ok('delivered'));
    await eventually(() => delivered.length, 1);
    expect(Buffer.from(delivered[0] ?? '').equals(Buffer.from(text))).toBe(true);
    expect(owner.pending).toBe(0);
  });

  it('reports duplicate, late and unknown callbacks on every instance', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const all = await instances(test, redis, 3);
    const [owner, remote] = all;
    const outcomesOf = async (id: string) => {
      const outcomes: Result<OfferOutcome, Failure>[] = [];
      for (const exchange of all) outcomes.push(await exchange.offer(id, callback));
      return outcomes.map((outcome) => outcome.unwrapOr(undefined));
    };
    const { id: first } = await waitingAt(owner);
    await remote.offer(first, callback);
    expect(await outcomesOf(first)).toEqual(['duplicate', 'duplicate', 'duplicate']);

    const { id: second } = await waitingAt(owner);
    expect(await owner.offer(second, callback)).toEqual(ok('delivered'));
    expect(await outcomesOf(second)).toEqual(['duplicate', 'duplicate', 'duplicate']);

    const { id: third, delivered } = await waitingAt(owner);
    owner.release(third);
    // The other instances may be faster than the command that releases the leg.
    await eventually(() => observer.get(`portico:{${third}}:leg`), 'r');
    expect(await outcomesOf(third)).toEqual(['late', 'late', 'late']);
    expect(delivered).toEqual([]);
    expect(await outcomesOf(randomUUID())).toEqual(['unknown', 'unknown', 'unknown']);
  });

  it('reports duplicate for a leg that was delivered and released', async (test) => {
    const [owner, remote] = await instances(test, await redisServer(test), 2);
    const { id, delivered } = await waitingAt(owner);
    await remote.offer(id, callback);
    await eventually(() => delivered.length, 1);
    owner.release(id);
    expect(await remote.offer(id, callback)).toEqual(ok('duplicate'));
  });

  it('delivers a callback once when all instances receive it at the same time', async (test) => {
    const all = await instances(test, await redisServer(test), 4);
    for (let round = 0; round < 100; round++) {
      const { id, delivered } = await waitingAt(all[round % all.length]!);
      const offers = all.map((exchange, nth) => exchange.offer(id, JSON.stringify({ nth })));
      const outcomes = (await Promise.all(offers)).map((outcome) => outcome.unwrapOr(undefined));
      expect(outcomes.toSorted(byText)).toEqual(['delivered', 'duplicate', 'duplicate', 'duplicate']);
      await eventually(() => delivered.length, 1);
      expect(delivered).toEqual([JSON.stringify({ nth: outcomes.indexOf('delivered') })]);
    }
    expect(all.map(({ pending }) => pending)).toEqual([0, 0, 0, 0]);
  });
});

/** Computes the cluster slot of a key: CRC16-XMODEM of the part in braces (Redis Cluster specification). */
const slotOf = (key: string): number => {
  let crc = 0;
  for (const byte of Buffer.from(/\{([^}]+)\}/.exec(key)?.[1] ?? key)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc % 16_384;
};

describe.skipIf(!hasRedis).concurrent('the Redis commands', () => {
  it('sends at most six commands for a search of two legs whose callbacks arrive on another instance', async (test) => {
    const redis = await redisServer(test);
    const [owner, remote] = await instances(test, redis, 2);
    const searches = async () => {
      const ids = [randomUUID(), randomUUID()];
      const delivered: string[] = [];
      const deliver = (text: string) => void delivered.push(text);
      await owner.expect(
        ids.map((transactionId) => ({ transactionId, legId: 'moa', deliver })),
        ttlMs,
      );
      for (const id of ids) await remote.offer(id, callback);
      await eventually(() => delivered.length, 2);
      for (const id of ids) owner.release(id);
    };
    await searches(); // loads the script
    const { take } = await commandsOf(test, redis);
    await searches();
    const commands = await take();
    expect(commands.map((command) => /^"(\w+)"/.exec(command)?.[1]).toSorted(byText)).toEqual([
      'EVALSHA',
      'EVALSHA',
      'GETRANGE',
      'GETRANGE',
      'SET',
      'SET',
    ]);
  });

  it('registers all legs of a search in one round trip', async (test) => {
    const redis = await redisServer(test);
    const proxy = await proxyTo(test, redis);
    const exchange = anInstance(test, proxy, { commandTimeoutMs: 5000 });
    await connected(exchange);
    const observer = await inspector(test, redis);
    await eventually(async () => (await observer.pubSubChannels()).length, 1);
    proxy.holdReplies();
    const legs = ['one', 'two', 'three'].map((transactionId) => ({ transactionId, legId: 'moa', deliver: () => {} }));
    let isRegistered = false;
    const registered = exchange.expect(legs, ttlMs).map(() => {
      isRegistered = true;
    });
    await eventually(async () => (await observer.keys('*{*')).length, 3);
    expect(isRegistered).toBe(false);
    proxy.releaseReplies();
    expect(await registered).toEqual(ok(undefined));
  });

  it('completes the registration before expect resolves', async (test) => {
    const redis = await redisServer(test);
    const [owner] = await instances(test, redis, 1);
    const observer = await inspector(test, redis);
    for (let round = 0; round < 20; round++) {
      const { id } = await waitingAt(owner);
      expect(await observer.exists(`portico:{${id}}:leg`)).toBe(1);
    }
  });

  it.for([undefined, 'a prefix/'])('uses keys under the prefix %s that expire and fit a cluster', async (own, test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const prefix = own ?? 'portico:';
    const [owner, remote] = await instances(test, redis, 2, {
      rememberMs: 5000,
      ...(own !== undefined && { prefix: own }),
    });
    await eventually(async () => (await observer.pubSubChannels()).length, 2);
    for (const channel of await observer.pubSubChannels()) expect(channel.startsWith(prefix)).toBe(true);
    const ids = Array.from({ length: 30 }, () => randomUUID());
    for (const id of ids) await waitingAt(owner, id);
    const keysWithTtl = async () =>
      Promise.all((await observer.keys('*{*')).map(async (key) => [key, await observer.pTTL(key)] as const));
    for (const [key, left] of await keysWithTtl()) {
      expect(key.startsWith(`${prefix}{`)).toBe(true);
      expect(left).toBeGreaterThan(5000);
      expect(left).toBeLessThanOrEqual(ttlMs + 5000);
    }
    for (const id of ids.slice(0, 10)) await remote.offer(id, callback);
    for (const id of ids.slice(10, 20)) owner.release(id);
    for (const id of ids.slice(20)) await owner.offer(id, callback);
    await eventually(() => owner.pending, 0);
    const kept = await keysWithTtl();
    for (const [key, left] of kept) {
      expect(key.startsWith(`${prefix}{`)).toBe(true);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(ttlMs);
    }
    const callbackKeys = kept.map(([key]) => key).filter((key) => key.endsWith(':callback'));
    expect(callbackKeys).toHaveLength(10);
    for (const key of callbackKeys) expect(slotOf(key.replace(/:callback$/, ':leg'))).toBe(slotOf(key));
    expect(new Set(callbackKeys.map(slotOf)).size).toBeGreaterThan(1);
  });

  it('leaves no keys and no memory behind', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const [owner, remote] = await instances(test, redis, 2, { rememberMs: 200 });
    const used = async () => Number(/^used_memory:(\d+)/m.exec(await observer.info('memory'))?.[1]);
    const body = JSON.stringify({ text: 'x'.repeat(60_000) });
    const before = await used();
    const searches = await Promise.all(Array.from({ length: 70 }, () => waitingAt(owner, randomUUID(), 10_000)));
    // All at once, so that they are stored before the first leg expires.
    for (const { id } of searches.slice(0, 10)) owner.release(id);
    await Promise.all(searches.slice(10).map(({ id }) => remote.offer(id, body)));
    expect((await used()) - before).toBeGreaterThan(3_000_000);
    await eventually(() => owner.pending, 0);
    await eventually(() => observer.dbSize(), 0, { timeout: 60_000, interval: 50 });
    expect((await used()) - before).toBeLessThan(500_000);
  });
});

describe.skipIf(!hasRedis).concurrent('redisCallbackExchange while Redis is down', () => {
  const unreachable = 'Redis is unreachable; callbacks are only delivered on the instance that started the search';

  it('starts, delivers local callbacks, and recovers when Redis starts', async (test) => {
    const redis = await redisServer(test, false);
    const [owner, remote] = [anInstance(test, redis), anInstance(test, redis)];
    expect([owner.degradedReason, remote.degradedReason]).toEqual([unreachable, unreachable]);

    const { id, delivered } = await waitingAt(owner);
    expect([await owner.offer(id, callback), delivered]).toEqual([ok('delivered'), [callback]]);
    expect(await owner.offer(id, callback)).toEqual(ok('duplicate'));

    const waiting = await waitingAt(owner);
    expect(await remote.offer(waiting.id, callback)).toEqual(overloaded);

    await redis.start();
    await connected(owner, remote);
    const observer = await inspector(test, redis);
    await eventually(() => observer.exists(`portico:{${waiting.id}}:leg`), 1);
    expect(await remote.offer(waiting.id, callback)).toEqual(ok('delivered'));
    await eventually(() => waiting.delivered, [callback]);
  });

  it('releases legs, for which later callbacks are late', async (test) => {
    const redis = await redisServer(test, false);
    const owner = anInstance(test, redis);
    const { id } = await waitingAt(owner);
    owner.release(id);
    expect(await owner.offer(id, callback)).toEqual(ok('late'));
    await redis.start();
    await connected(owner);
    const observer = await inspector(test, redis);
    await eventually(async () => (await observer.pubSubChannels()).length, 1);
    // With this leg, Redis would also have registered an earlier one.
    const next = await waitingAt(owner);
    expect(await observer.keys('*{*')).toEqual([`portico:{${next.id}}:leg`]);
  });

  it('keeps pending legs and registers them again when Redis is back without its data', async (test) => {
    const redis = await redisServer(test);
    const [owner, remote] = await instances(test, redis, 2);
    const waiting = await Promise.all(Array.from({ length: 1100 }, () => waitingAt(owner)));
    await redis.stop();
    await eventually(() => [owner.degradedReason, remote.degradedReason], [unreachable, unreachable]);
    const [during, local] = [await waitingAt(owner), await waitingAt(owner)];
    expect(await remote.offer(during.id, callback)).toEqual(overloaded);
    expect(await owner.offer(local.id, callback)).toEqual(ok('delivered'));

    await redis.start();
    await connected(owner, remote);
    const observer = await inspector(test, redis);
    await eventually(async () => (await observer.keys('*{*')).length, 1101);
    expect(await observer.ttl(`portico:{${during.id}}:leg`)).toBeGreaterThan(60);
    // All are registered: a callback for some shows that it is delivered.
    const some = [during, ...waiting.filter((_, nth) => nth % 100 === 99)];
    for (const { id } of some) expect(await remote.offer(id, callback)).toEqual(ok('delivered'));
    await eventually(() => owner.pending, 1101 - some.length);
    expect([local, ...some].every(({ delivered }) => delivered.join() === callback)).toBe(true);
  });

  it('fetches callbacks that were stored while only the owner was disconnected', async (test) => {
    const redis = await redisServer(test);
    const proxy = await proxyTo(test, redis);
    const owner = anInstance(test, proxy);
    const [remote] = await instances(test, redis, 1);
    await connected(owner);
    const waiting = await Promise.all([waitingAt(owner), waitingAt(owner)]);
    proxy.disconnect();
    await eventually(() => owner.degradedReason, unreachable);
    for (const { id } of waiting) expect(await remote.offer(id, callback)).toEqual(ok('delivered'));
    expect(owner.pending).toBe(2);
    proxy.reconnect();
    await connected(owner);
    for (const { delivered } of waiting) await eventually(() => delivered, [callback]);
    expect(owner.pending).toBe(0);
  });

  it('recovers from connections that Redis closes', async (test) => {
    const redis = await redisServer(test);
    const [owner, remote] = await instances(test, redis, 2);
    const observer = await inspector(test, redis);
    for (let round = 0; round < 5; round++) {
      const { id, delivered } = await waitingAt(owner);
      await observer.sendCommand(['CLIENT', 'KILL', 'TYPE', 'pubsub']);
      await eventually(async () => (await remote.offer(id, callback)).isOk(), true);
      await eventually(() => delivered, [callback]);
      await connected(owner, remote);
    }
  });
});

describe.skipIf(!hasRedis).concurrent('redisCallbackExchange while Redis is slow', () => {
  const slow = 'Redis is slow; callbacks are only delivered on the instance that started the search';
  const settings = { commandTimeoutMs: 150 };

  it('delivers local callbacks, refuses others, and recovers without traffic', async (test) => {
    const redis = await redisServer(test);
    const [owner, remote] = await instances(test, redis, 2, settings);
    const before = await waitingAt(owner);
    redis.pause();
    // None of these waits for Redis, which does not reply until the test resumes it.
    const { id, delivered } = await waitingAt(owner);
    expect(owner.degradedReason).toBe(slow);
    expect([await owner.offer(id, callback), delivered]).toEqual([ok('delivered'), [callback]]);
    expect([await remote.offer(before.id, callback), remote.degradedReason]).toEqual([overloaded, slow]);
    const during = await waitingAt(owner);

    redis.resume();
    await connected(owner, remote);
    await eventually(async () => (await remote.offer(during.id, callback)).isOk(), true);
    await eventually(() => during.delivered, [callback]);
    // Redis may have executed a refused command. The seller sends the callback again, and it is delivered once.
    await eventually(async () => (await remote.offer(before.id, callback)).isOk(), true);
    await eventually(() => before.delivered, [callback]);
    expect(owner.pending).toBe(0);
  });

  it('delivers a local callback once when Redis does not reply', async (test) => {
    const redis = await redisServer(test);
    const [owner, remote] = await instances(test, redis, 2, settings);
    const { id, delivered } = await waitingAt(owner);
    redis.pause();
    const outcomes = await Promise.all([owner.offer(id, callback), owner.offer(id, callback)]);
    expect(outcomes).toEqual([ok('delivered'), ok('duplicate')]);
    redis.resume();
    await connected(owner, remote);
    await eventually(() => remote.offer(id, callback), ok('duplicate'));
    expect(delivered).toEqual([callback]);
  });
});

/** Runs an exchange in a process that should exit on its own. Resolves with its exit code. */
const processWith = (
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  url: string,
  script: string,
  start = 'ready',
) => {
  const code = `
      const { redisCallbackExchange } = await import(${JSON.stringify(new URL('exchange.ts', import.meta.url).href)});
      const { systemClock: clock } = await import('@portico/core/system');
      const exchange = redisCallbackExchange({ url: ${JSON.stringify(url)}, clock, commandTimeoutMs: 100 });
      const expectOne = () => exchange.expect([{ transactionId: 't', legId: 'moa', deliver: () => {} }], 1000);
      const pass = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      ${start === 'ready' ? 'while (exchange.degradedReason) await pass(5);' : ''}
      ${script}`;
  const child = spawn(process.execPath, ['--conditions=@portico/source', '--input-type=module', '-e', code], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { ended: once(child, 'close').then(([exitCode]) => exitCode as unknown) };
};

describe.skipIf(!hasRedis).concurrent('close', () => {
  it('leaves no open handle', async (test) => {
    const redis = await redisServer(test);
    const { ended } = processWith(test, redis.url, 'await expectOne(); await exchange.close();');
    expect(await ended).toBe(0);
  });

  it('leaves no open handle when Redis was never reachable', async (test) => {
    const redis = await redisServer(test, false);
    const { ended } = processWith(test, redis.url, 'await pass(100); await exchange.close();', 'at once');
    expect(await ended).toBe(0);
  });

  it('closes the connection and can be called twice', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const [exchange] = await instances(test, redis, 1);
    await eventually(async () => (await observer.pubSubChannels()).length, 1);
    await exchange.close();
    await eventually(() => observer.pubSubChannels(), []);
    await exchange.close();
    expect(exchange.degradedReason).toBeDefined();
  });

  it('resolves at once while Redis is down', async (test) => {
    const redis = await redisServer(test);
    // Longer than the test timeout: close must not wait for a reply.
    const exchange = exchangeAt(redis, { commandTimeoutMs: 600_000 });
    await connected(exchange);
    await waitingAt(exchange);
    await redis.stop();
    await exchange.close();
  });
});

describe.skipIf(!hasRedis).concurrent('redisCallbackExchange after faults', () => {
  it('subscribes after a connection that was lost during the first subscription', async (test) => {
    const redis = await redisServer(test);
    const proxy = await proxyTo(test, redis);
    proxy.onRequest((request) => {
      if (!/\r\nSUBSCRIBE\r\n/i.test(request)) return;
      proxy.onRequest();
      proxy.disconnect();
      proxy.reconnect();
    });
    const owner = anInstance(test, proxy);
    const [remote] = await instances(test, redis, 1);
    const observer = await inspector(test, redis);
    await eventually(async () => (await observer.pubSubChannels()).length, 2);
    await connected(owner);
    const { id, delivered } = await waitingAt(owner);
    await remote.offer(id, callback);
    await eventually(() => delivered.length, 1);
  });

  it('closes while Redis does not reply', async (test) => {
    const redis = await redisServer(test);
    const exchange = exchangeAt(redis, { commandTimeoutMs: 100 });
    await connected(exchange);
    redis.pause();
    await waitingAt(exchange);
    await exchange.close();
    redis.resume();
  });

  it('reports a full Redis and refuses a callback that cannot be stored', async (test) => {
    const redis = await redisServer(test);
    const [owner, remote] = await instances(test, redis, 2);
    const observer = await inspector(test, redis);
    await observer.configSet('maxmemory', '1');
    const { id } = await waitingAt(owner);
    const outcome = await remote.offer(id, callback); // not `unknown`
    expect([owner.degradedReason === undefined, outcome]).toEqual([false, overloaded]);
  });

  it('refuses a callback whose owner has not reconnected after a restart of Redis', async (test) => {
    const redis = await redisServer(test);
    const proxy = await proxyTo(test, redis);
    const owner = anInstance(test, proxy, { settlingMs: 60_000 });
    const [remote] = await instances(test, redis, 1, { settlingMs: 60_000 });
    await connected(owner);
    const { id } = await waitingAt(owner);
    proxy.disconnect();
    await redis.stop();
    await eventually(() => remote.degradedReason !== undefined, true);
    await redis.start();
    await connected(remote);
    expect(await remote.offer(id, callback)).toEqual(overloaded); // not `unknown`
  });

  it('replaces a dead connection while searches continue', async (test) => {
    const redis = await redisServer(test);
    const proxy = await proxyTo(test, redis);
    const owner = anInstance(test, proxy, { clock: clockFasterBy(10), commandTimeoutMs: 1000 });
    await connected(owner);
    await waitingAt(owner);
    proxy.freeze();
    await waitingAt(owner);
    expect(owner.degradedReason).toBeDefined();
    const afterASearch = async () => {
      await waitingAt(owner);
      return owner.degradedReason;
    };
    await eventually(afterASearch, undefined, { timeout: 60_000, interval: 50 });
  });

  it('reports duplicate on another instance for a callback delivered while Redis was unreachable', async (test) => {
    const redis = await redisServer(test);
    const proxy = await proxyTo(test, redis);
    const owner = anInstance(test, proxy);
    const [remote] = await instances(test, redis, 1);
    await connected(owner);
    const [one, other] = [await waitingAt(owner), await waitingAt(owner)];
    proxy.disconnect();
    await eventually(() => owner.degradedReason !== undefined, true);
    expect(await owner.offer(one.id, callback)).toEqual(ok('delivered'));
    owner.release(other.id);
    proxy.reconnect();
    const observer = await inspector(test, redis);
    const settled = () => Promise.all([one, other].map(({ id }) => observer.get(`portico:{${id}}:leg`)));
    await eventually(settled, ['d', 'r']);
    expect([await remote.offer(one.id, callback), await remote.offer(other.id, callback)]).toEqual([
      ok('duplicate'),
      ok('late'),
    ]);
  });

  it('lets the process exit when it is closed while Redis does not reply', async (test) => {
    const redis = await redisServer(test);
    const proxy = await proxyTo(test, redis);
    // Redis stops replying; then the connection is lost, and the exchange is closed.
    let isSilent = false;
    proxy.onRequest((request) => {
      if (!isSilent && request.includes(':leg')) {
        isSilent = true;
        proxy.freeze();
        setTimeout(proxy.disconnect, 500);
      }
    });
    const { ended } = processWith(test, proxy.url, 'await expectOne(); await pass(800); await exchange.close();');
    expect(await ended).toBe(0);
  });
});

/** A tenth of the real limits, so that a tenth of the commands fills the queues. */
const limits = { maxQueuedCommands: 5000, maxUnreported: 1000 };

/** Registers and releases searches of two legs. */
const flood = async (exchange: CallbackExchange, searchCount: number) => {
  const ids = Array.from({ length: 2 * searchCount }, (_, nth) => `flood-${nth}`);
  const legs = ids.map((transactionId) => ({ transactionId, legId: 'moa', deliver: () => {} }));
  const searches = Array.from({ length: legs.length / 2 }, (_, nth) => legs.slice(2 * nth, 2 * nth + 2));
  const results = await Promise.all(searches.map((pair) => exchange.expect(pair, ttlMs)));
  for (const id of ids) exchange.release(id);
  return results;
};

// Not concurrent, because these tests need the whole CPU.
describe.skipIf(!hasRedis)('redisCallbackExchange under load', () => {
  it('does not queue searches while Redis is down', async (test) => {
    const redis = await redisServer(test);
    const [owner] = await instances(test, redis, 1, { limits });
    await redis.stop();
    await eventually(() => owner.degradedReason !== undefined, true);
    // More legs than the 1000 whose end is reported afterwards.
    const results = await flood(owner, 600);
    expect(results.every((result) => result.isOk())).toBe(true);
    expect(owner.pending).toBe(0);
    await redis.start();
    await connected(owner);
    // With this leg, Redis would also have registered an earlier one.
    const { id } = await waitingAt(owner);
    const observer = await inspector(test, redis);
    expect(await observer.keys('*{*')).toEqual([`portico:{${id}}:leg`]);
  });

  it('limits queued commands while Redis is slow', async (test) => {
    const redis = await redisServer(test);
    const [owner] = await instances(test, redis, 1, { commandTimeoutMs: 150, limits });
    redis.pause();
    // 6600 commands: one to register and one to release each leg.
    const results = await flood(owner, 1650);
    expect(results.every((result) => result.isOk())).toBe(true);
    expect(owner.pending).toBe(0);
    redis.resume();
    await connected(owner);
    // Redis replies in order: with this reply it has executed all queued commands.
    const { id } = await waitingAt(owner);
    const observer = await inspector(test, redis);
    await eventually(() => observer.exists(`portico:{${id}}:leg`), 1);
    const calls = Number(/cmdstat_set:calls=(\d+)/.exec(await observer.info('commandstats'))?.[1]);
    // The queue holds 5000 commands; of the released legs, the newest 1000 are reported afterwards.
    expect(calls).toBeLessThanOrEqual(6100);
  });

  it('registers legs that were refused by a full queue once Redis replies again', async (test) => {
    const redis = await redisServer(test);
    const [owner, remote] = await instances(test, redis, 2, { commandTimeoutMs: 500, limits });
    redis.pause();
    const ids = Array.from({ length: 5100 }, (_, nth) => `flood-${nth}`);
    await owner.expect(
      ids.map((transactionId) => ({ transactionId, legId: 'moa', deliver: () => {} })),
      ttlMs,
    );
    redis.resume();
    await connected(owner);
    await expect
      .poll(async () => remote.offer(ids.at(-1) ?? '', callback), { timeout: 60_000 })
      .toEqual(ok('delivered'));
  });
});
