import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callbackCounts, type Cluster, hasRedis, waitUntilHealthy, load, startCluster } from '@portico/demo/cluster';

describe.skipIf(!hasRedis)('three instances behind a load balancer with one Redis', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster();
  });
  beforeEach(async () => {
    Object.assign(cluster.sellers, { delayMs: [5, 25], copies: 1 });
    await waitUntilHealthy(cluster);
  });
  afterAll(() => cluster.close());

  interface Health {
    readonly status: string;
    readonly pending: number;
    readonly reasons?: readonly string[];
  }
  const healthOf = async (instance: number): Promise<Health> =>
    (await (await fetch(`${cluster.instances[instance]?.url}/health`)).json()) as Health;
  const healths = () => Promise.all(cluster.instances.map((_, at) => healthOf(at)));

  /** Starts searches. `underWay` resolves when the first ones are complete and others are pending. */
  const startLoad = (searches: number, concurrency: number) => {
    const underWay = Promise.withResolvers<void>();
    const done = load(cluster, searches, concurrency, (complete) => {
      if (complete > 10) underWay.resolve();
    });
    return { done, underWay: underWay.promise };
  };

  const degraded = { status: 'degraded', reasons: [expect.stringContaining('Redis')] };

  it('completes every search, whichever instance receives its callbacks', async () => {
    expect(await load(cluster, 150, 25)).toMatchObject({ complete: 150, incomplete: [], failed: 0 });
  });

  it('delivers a callback once that is sent to three instances at the same time', async () => {
    cluster.sellers.copies = 3;
    const before = await callbackCounts(cluster);
    expect(await load(cluster, 50, 10)).toMatchObject({ complete: 50 });
    await expect
      .poll(async () => {
        const { delivered = 0, duplicate = 0 } = await callbackCounts(cluster);
        return [delivered - (before['delivered'] ?? 0), duplicate - (before['duplicate'] ?? 0)];
      })
      .toEqual([100, 200]);
  });

  it('loses no search when Redis stops and restarts empty', async () => {
    cluster.sellers.delayMs = [100, 900];
    const retriesBefore = cluster.sellers.retries;
    const { done, underWay } = startLoad(150, 60);
    await underWay;
    await cluster.redis.stop();
    await expect.poll(() => healthOf(0)).toMatchObject(degraded);
    // Callbacks that cannot be stored are refused, so that the sellers send them again.
    await expect.poll(() => cluster.sellers.retries).toBeGreaterThan(retriesBefore);
    await cluster.redis.start();
    expect(await done).toMatchObject({ complete: 150, incomplete: [], failed: 0 });
    await waitUntilHealthy(cluster);
  });

  it('loses no search when Redis does not respond until every instance is degraded', async () => {
    cluster.sellers.delayMs = [100, 900];
    const retriesBefore = cluster.sellers.retries;
    const { done, underWay } = startLoad(150, 60);
    await underWay;
    process.kill(cluster.redis.pid(), 'SIGSTOP');
    await expect.poll(healths).toMatchObject([degraded, degraded, degraded]);
    await expect.poll(() => cluster.sellers.retries).toBeGreaterThan(retriesBefore);
    process.kill(cluster.redis.pid(), 'SIGCONT');
    expect(await done).toMatchObject({ complete: 150, incomplete: [], failed: 0 });
    await waitUntilHealthy(cluster);
  });

  it('loses only the searches of clients of an instance that is killed', async () => {
    cluster.sellers.delayMs = [200, 600];
    const { done } = startLoad(150, 60);
    await expect.poll(async () => (await healthOf(2)).pending).toBeGreaterThan(5);
    process.kill(cluster.instances[2]!.pid, 'SIGKILL');
    const { complete, incomplete, failed } = await done;
    // At most the twenty or so that were pending there.
    expect([incomplete, complete + failed]).toEqual([[], 150]);
    expect(failed).toBeGreaterThan(0);
    expect(failed).toBeLessThan(50);
    expect(await load(cluster, 40, 20)).toMatchObject({ complete: 40 });
  });
});
