import { randomUUID } from 'node:crypto';
import { memoryReplayGuard } from '@portico/core';
import { dpopTokens } from '@portico/core/inversify';
import { fakeClock, replayGuardContract } from '@portico/core/testing';
import { Container } from 'inversify';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { redisReplayModule } from './inversify.ts';
import {
  connectedWith,
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
} from './redis-server.test.support.ts';
import { redisReplayGuard } from './replay-guard.ts';

const connected = connectedWith(redisReplayGuard);

describe.skipIf(!hasRedis)('two instances on one Redis, used in turn', () => {
  const instances = twoConnections();

  replayGuardContract(contractRunner, async () => {
    const observer = await inspector({ onTestFinished }, instances.redis);
    const guards = instances.clients.map((client) => redisReplayGuard({ client, waitMs: longWaitMs }));
    let turn = 0;
    return {
      guard: { use: (value, seconds) => guards[turn++ % 2]!.use(value, seconds) },
      fresh: randomUUID,
      pass: (seconds) => passTime(observer, seconds * 1000),
    };
  });
});

describe.skipIf(!hasRedis)('redisReplayGuard', () => {
  it('stores values with the prefix, and lets them expire', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const guard = await connected(test, redis);
    expect(await guard.use('a digest', 130)).toBe('first');
    expect(await observer.keys('*')).toEqual(['portico:once:a digest']);
    const left = await observer.pTTL('portico:once:a digest');
    expect(left).toBeGreaterThan(100_000);
    expect(left).toBeLessThanOrEqual(130_000);
  });

  it('remembers values of this instance while Redis is unreachable, and fails no request', async (test) => {
    const guard = redisReplayGuard({ client: connectionTo(test, { url: 'redis://127.0.0.1:9' }) });
    expect(await guard.use('value', 60)).toBe('first');
    expect(await guard.use('value', 60)).toBe('repeated');
    expect(guard.degradedReason).toMatch(/^Redis is unreachable/);
  });

  it('does not wait for a Redis that hangs, and uses it again when it responds', async (test) => {
    const redis = await redisServer(test);
    const guard = await connected(test, redis, { waitMs: 20 });
    const other = await connected(test, redis);
    redis.pause();
    test.onTestFinished(redis.resume);
    expect(await guard.use('while it hangs', 60)).toBe('first');
    expect(await guard.use('while it hangs', 60)).toBe('repeated');
    expect(guard.degradedReason).toMatch(/^Redis is slow or refuses writes/);
    redis.resume();
    await vi.waitFor(async () => {
      const value = randomUUID();
      expect(await guard.use(value, 60)).toBe('first');
      expect(await other.use(value, 60)).toBe('repeated');
      expect(guard.degradedReason).toBeUndefined();
    }, soon);
  });

  it('allows a value once on each instance while Redis refuses writes, and notices when it accepts them', async (test) => {
    const redis = await redisServer(test, true, { maxmemory: '1', 'maxmemory-policy': 'noeviction' });
    const observer = await inspector(test, redis);
    const guard = await connected(test, redis);
    expect(await guard.use('value', 60)).toBe('first');
    expect(await guard.use('value', 60)).toBe('repeated');
    expect(guard.degradedReason).toMatch(/^Redis is slow or refuses writes/);
    await observer.configSet('maxmemory', '0');
    await expect.poll(() => guard.degradedReason, soon).toBeUndefined();
  });

  it('survives a connection that is lost while a value is stored', async (test) => {
    const redis = await redisServer(test);
    const proxy = await proxyTo(test, redis);
    const guard = await connected(test, proxy);
    redis.pause();
    test.onTestFinished(redis.resume);
    const use = guard.use('value', 60);
    proxy.disconnect();
    expect(await use).toBe('first');
    expect(guard.degradedReason).toMatch(/^Redis/);
  });

  it('is full when the values of this instance are', async (test) => {
    const redis = await redisServer(test);
    const local = memoryReplayGuard({ clock: fakeClock(), maxValues: 1 });
    const guard = await connected(test, redis, { local });
    expect([await guard.use('a', 60), await guard.use('b', 60)]).toEqual(['first', 'full']);
  });
});

describe.skipIf(!hasRedis)('redisReplayModule', () => {
  it('replaces the bound guard, and closes its connection with the container', async (test) => {
    const redis = await redisServer(test);
    const observer = await inspector(test, redis);
    const container = new Container();
    container.bind(dpopTokens.replays).toConstantValue(memoryReplayGuard({ clock: fakeClock() }));
    container.load(redisReplayModule({ url: redis.url }));
    const guard = container.get(dpopTokens.replays);
    await expect.poll(() => guard.degradedReason, soon).toBeUndefined();
    expect(await guard.use('value', 60)).toBe('first');
    expect(await observer.keys('*')).toEqual(['portico:once:value']);
    await container.unbindAllAsync();
    await expect.poll(async () => (await observer.clientList()).length, soon).toBe(1);
  });
});
