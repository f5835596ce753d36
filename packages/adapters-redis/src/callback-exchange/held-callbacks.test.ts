import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { commandsOf, hasRedis, inspector, redisServer, type Test } from '../redis-server.test.support.ts';
import { clockFasterBy, collectingAt, eventually, instances, overloaded } from './exchange.test.support.ts';

const [small, other, large] = ['s'.repeat(40), 'o'.repeat(40), 'l'.repeat(70)] as const;

/** Two instances with memory for 100 bytes. The legs end with their first callback, and their search goes on. */
const twoInstances = async (test: Test) => {
  const redis = await redisServer(test);
  const [owner, remote] = await instances(test, redis, 2, { maxCollectedBytes: 100 });
  const search = Promise.withResolvers<void>();
  const observer = await inspector(test, redis);
  const waiting = () => collectingAt(owner, { collects: undefined, ended: search.promise });
  return { redis, observer, owner, remote, search, waiting };
};

describe.skipIf(!hasRedis).concurrent('the callbacks of searches that have not ended', () => {
  it('take memory after their legs have ended, and other legs go on waiting', async (test) => {
    const { owner, search, waiting } = await twoInstances(test);
    const [one, two] = [await waiting(), await waiting()];
    expect(await owner.offer(one.id, large)).toEqual(ok('delivered'));
    expect(await owner.offer(two.id, small)).toEqual(overloaded);
    search.resolve();
    await eventually(() => owner.offer(two.id, small), ok('delivered'));
    expect([one.happened, two.happened]).toEqual([[large], [small]]);
  });

  it('take memory after a leg that collects was released', async (test) => {
    const { owner, search } = await twoInstances(test);
    const one = await collectingAt(owner, { ended: search.promise });
    const two = await collectingAt(owner);
    expect(await owner.offer(one.id, large)).toEqual(ok('delivered'));
    owner.release(one.id);
    expect(await owner.offer(two.id, small)).toEqual(overloaded);
    search.resolve();
    await eventually(() => owner.offer(two.id, small), ok('delivered'));
  });

  it('let a callback that another instance has acknowledged wait in Redis until there is memory', async (test) => {
    const { owner, remote, search, waiting } = await twoInstances(test);
    const [one, two] = [await waiting(), await waiting()];
    expect(await owner.offer(one.id, large)).toEqual(ok('delivered'));
    expect(await remote.offer(two.id, small)).toEqual(ok('delivered'));
    // The owner reads callbacks in order: when it has the next one, it has tried to deliver this one.
    const next = await collectingAt(owner);
    expect(await remote.offer(next.id, 'x')).toEqual(ok('delivered'));
    await eventually(() => next.happened, ['x']);
    expect(two.happened).toEqual([]);
    search.resolve();
    await eventually(() => two.happened, [small]);
  });

  it('are not read again from Redis before there is memory for them', async (test) => {
    const { redis, owner, remote, search, waiting } = await twoInstances(test);
    const [one, two] = [await waiting(), await waiting()];
    expect(await owner.offer(one.id, large)).toEqual(ok('delivered'));
    expect(await remote.offer(two.id, small)).toEqual(ok('delivered'));
    await eventually(() => owner.offer(two.id, 'y'), overloaded);
    const { take } = await commandsOf(test, redis);
    for (let nth = 0; nth < 20; nth++) {
      const other = await collectingAt(owner);
      expect(await owner.offer(other.id, 'x')).toEqual(ok('delivered'));
      owner.release(other.id);
    }
    expect((await take()).filter((command) => command.startsWith('"GETRANGE"'))).toEqual([]);
    search.resolve();
    await eventually(() => two.happened, [small]);
  });

  it('do not keep others waiting when one that waits in Redis is lost', async (test) => {
    const { observer, owner, remote, search, waiting } = await twoInstances(test);
    const [one, lost, two] = [await waiting(), await waiting(), await waiting()];
    expect(await owner.offer(one.id, large)).toEqual(ok('delivered'));
    for (const { id } of [lost, two]) {
      expect(await remote.offer(id, small)).toEqual(ok('delivered'));
      await eventually(() => owner.offer(id, 'y'), overloaded);
    }
    expect(await observer.del(`portico:{${lost.id}}:callback`)).toBe(1);
    search.resolve();
    await eventually(() => two.happened, [small]);
    expect(await owner.offer(lost.id, 'the next one')).toEqual(ok('delivered'));
  });

  it('are not replaced by a second one that takes the memory first', async (test) => {
    const { owner, remote } = await twoInstances(test);
    const first = 'f'.repeat(60);
    for (let nth = 0; nth < 10; nth++) {
      const { id, happened } = await collectingAt(owner, { collects: undefined });
      expect(await remote.offer(id, first)).toEqual(ok('delivered'));
      await owner.offer(id, 's'.repeat(60));
      expect(happened).toEqual([first]);
    }
  });

  it('do not exceed the limit when they arrive at the same time', async (test) => {
    const { owner, waiting } = await twoInstances(test);
    const legs = [await waiting(), await waiting(), await collectingAt(owner)] as const;
    const offered = await Promise.all([small, other, large].map((text, nth) => owner.offer(legs[nth]!.id, text)));
    expect(offered).toEqual([ok('delivered'), ok('delivered'), overloaded]);
  });
});

describe.skipIf(!hasRedis).concurrent('a callback shortly before the end of its search', () => {
  it.for([
    ['ends with it', { collects: undefined }],
    ['collects', {}],
  ] as const)('is delivered in time to a leg that %s, when Redis has just stopped', async ([, more], test) => {
    const redis = await redisServer(test);
    // A command may take as long as the search.
    const [owner] = await instances(test, redis, 1, { clock: clockFasterBy(0.1), commandTimeoutMs: 1000 });
    const leg = await collectingAt(owner, more, 200);
    redis.pause();
    test.onTestFinished(redis.resume);
    const offered = owner.offer(leg.id, small);
    await eventually(() => leg.happened, [small]);
    expect(await offered).toEqual(ok('delivered'));
    expect(owner.degradedReason).toBeUndefined();
  });
});
