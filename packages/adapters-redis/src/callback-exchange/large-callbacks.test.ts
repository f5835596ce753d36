import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import {
  connectionsReceived,
  hasRedis,
  inspector,
  proxyTo,
  redisServer,
  type Test,
} from '../redis-server.test.support.ts';
import { anInstance, collectingAt, connected, eventually, instances, waitingAt } from './exchange.test.support.ts';

/** An owner that loses its connection, and a Redis that closes one with a subscription and 8 MB of unread replies. */
const disconnectableOwner = async (test: Test) => {
  const redis = await redisServer(test);
  const observer = await inspector(test, redis);
  await observer.configSet('client-output-buffer-limit', 'pubsub 8mb 8mb 60');
  const proxy = await proxyTo(test, redis);
  const owner = anInstance(test, proxy);
  const [remote] = await instances(test, redis, 1);
  await connected(owner);
  const disconnect = async () => {
    proxy.disconnect();
    await eventually(() => owner.degradedReason !== undefined, true);
  };
  return { observer, proxy, owner, remote, disconnect };
};

const textOf = (nth: number, kilobytes: number) => `{"nth":${nth},"filler":"${'ñ'.repeat(kilobytes * 500)}"}`;

describe.skipIf(!hasRedis).concurrent('more unread callbacks than Redis buffers for a connection', () => {
  it.for([
    [200, 60],
    [40, 300],
    [3, 4000],
  ] as const)(
    'delivers the first callbacks of %i legs, of %i kB each, on one connection',
    async ([legs, size], test) => {
      const { observer, proxy, owner, remote, disconnect } = await disconnectableOwner(test);
      const waiting = await Promise.all(Array.from({ length: legs }, () => waitingAt(owner)));
      await disconnect();
      for (const [nth, { id }] of waiting.entries())
        expect(await remote.offer(id, textOf(nth, size))).toEqual(ok('delivered'));
      const connections = await connectionsReceived(observer);
      proxy.reconnect();
      await eventually(() => owner.pending, 0);
      expect(waiting.every(({ delivered }, nth) => delivered.join() === textOf(nth, size))).toBe(true);
      expect(await connectionsReceived(observer)).toBe(connections + 1);
    },
  );

  it('delivers small and large callbacks of a leg that collects in their order, on one connection', async (test) => {
    const { observer, proxy, owner, remote, disconnect } = await disconnectableOwner(test);
    const { id, happened } = await collectingAt(owner, { collects: { maxCallbacks: 100, maxBytes: 32_000_000 } });
    await disconnect();
    const texts = [1, 30, 30, 3000, 64, 300, 3000, 3000, 1, 1, 300, 3000, 60].map((size, nth) => textOf(nth, size));
    for (const text of texts) expect(await remote.offer(id, text)).toEqual(ok('delivered'));
    const connections = await connectionsReceived(observer);
    proxy.reconnect();
    await eventually(() => happened.length, texts.length);
    expect(happened.every((text, nth) => text === texts[nth])).toBe(true);
    await eventually(() => observer.xLen(`portico:{${id}}:callback`), 0);
    expect(await connectionsReceived(observer)).toBe(connections + 1);
  });

  it.for([
    ['of 64 KiB', 'x'.repeat(65_536)],
    ['of a byte less', '漢'.repeat(21_845)],
    ['with a character that ends after 64 KiB', '漢'.repeat(21_846)],
  ] as const)('delivers callbacks %s byte for byte', async ([, text], test) => {
    const { owner, remote } = await disconnectableOwner(test);
    const { id, delivered } = await waitingAt(owner);
    const { id: collecting, happened } = await collectingAt(owner);
    for (const offered of [id, collecting]) expect(await remote.offer(offered, text)).toEqual(ok('delivered'));
    await eventually(() => [delivered.length, happened.length], [1, 1]);
    expect(delivered[0] === text && happened[0] === text).toBe(true);
  });
});
