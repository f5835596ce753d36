import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callbackCounts, type Cluster, hasRedis, waitUntilHealthy, load, startCluster } from '@portico/demo/cluster';

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

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

  it('completes every search, whichever instance receives its callbacks', async () => {
    expect(await load(cluster, 500, 25)).toMatchObject({ complete: 500, incomplete: 0, failed: 0 });
  });

  it('delivers a callback once that is sent to three instances at the same time', async () => {
    cluster.sellers.copies = 3;
    const before = await callbackCounts(cluster);
    expect(await load(cluster, 100, 10)).toMatchObject({ complete: 100 });
    await expect
      .poll(async () => {
        const { delivered = 0, duplicate = 0 } = await callbackCounts(cluster);
        return [delivered - (before['delivered'] ?? 0), duplicate - (before['duplicate'] ?? 0)];
      })
      .toEqual([200, 400]);
  });

  it('loses no search when Redis stops and restarts empty', async () => {
    cluster.sellers.delayMs = [100, 900];
    const running = load(cluster, 300, 60);
    await after(400);
    await cluster.redis.stop();
    await after(500);
    const health = await fetch(`${cluster.instances[0]?.url}/health`);
    expect(await health.json()).toMatchObject({ status: 'degraded', reasons: [expect.stringContaining('Redis')] });
    await cluster.redis.start();
    expect(await running).toMatchObject({ complete: 300, incomplete: 0, failed: 0 });
    // Callbacks that could not be stored were refused, so that the sellers sent them again.
    expect(cluster.sellers.retries).toBeGreaterThan(0);
    await waitUntilHealthy(cluster);
  });

  it('loses no search when Redis does not respond for three seconds', async () => {
    cluster.sellers.delayMs = [100, 900];
    const running = load(cluster, 300, 60);
    await after(400);
    process.kill(cluster.redis.pid(), 'SIGSTOP');
    await after(3000);
    process.kill(cluster.redis.pid(), 'SIGCONT');
    expect(await running).toMatchObject({ complete: 300, incomplete: 0, failed: 0 });
    await waitUntilHealthy(cluster);
  });

  it('loses only the searches of clients of an instance that is killed', async () => {
    cluster.sellers.delayMs = [200, 600];
    const running = load(cluster, 240, 60);
    await after(300);
    process.kill(cluster.instances[2]!.pid, 'SIGKILL');
    const { complete, incomplete, failed } = await running;
    // At most the twenty or so that were pending there.
    expect([incomplete, complete + failed]).toEqual([0, 240]);
    expect(failed).toBeGreaterThan(0);
    expect(failed).toBeLessThan(50);
    expect(await load(cluster, 60, 20)).toMatchObject({ complete: 60 });
  });
});
