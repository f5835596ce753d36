import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedis, waitUntilHealthy, startCluster, type Cluster } from '@portico/demo/cluster';

const head = '{"context":{"action":"on_search","transaction_id":"unknown"},"message":[';

/** A callback of 4.99 MiB. Parsed, it takes more than twenty times the memory of its JSON. */
const callback = Buffer.from(`${head}${'{},'.repeat(Math.floor((4.99 * 1024 * 1024 - head.length - 4) / 3))}{}]}`);

const post = async (url: string): Promise<number> => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/on_search`, { method: 'POST', headers, body: callback });
  await response.text();
  return response.status;
};

/** The connection of a refused callback may be closed while the callback is being sent. */
const postUnwanted = (url: string): Promise<number> => post(url).catch(() => 503);

/** Retries refused callbacks, as sellers do. */
const postUntilAccepted = async (url: string): Promise<number> => {
  const status = await postUnwanted(url);
  return status === 503 ? postUntilAccepted(url) : status;
};

/** Parsed at the same time, they would take more than twice the heap of the process. */
const concurrent = 6;
const heapMiB = 256;

/** Sends large callbacks for unknown searches, and other requests in the meantime. */
const flood = async (url: string, send: (url: string) => Promise<number>) => {
  const progress = { isOver: false };
  const statuses = Promise.all(Array.from({ length: concurrent }, () => send(url))).finally(() => {
    progress.isOver = true;
  });
  const served: number[] = [];
  while (!progress.isOver) served.push((await fetch(`${url}/health`)).status);
  return { statuses: await statuses, served };
};

/** The peak memory of a process; `undefined` except on Linux. */
const peakMiB = (pid: number): number | undefined => {
  const file = `/proc/${pid}/status`;
  return existsSync(file) ? Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(file, 'utf8'))?.[1]) / 1024 : undefined;
};

describe.skipIf(!hasRedis)('6 callbacks of 5 MiB at once, in a process with a heap of 256 MiB', () => {
  let cluster: Cluster;
  const instance = () => cluster.instances[0]!;

  beforeAll(async () => {
    const env = { NODE_OPTIONS: `--max-old-space-size=${heapMiB}` };
    // On a slow machine, parsing one callback can delay the others for longer than the default time limits.
    const connections = { headersTimeoutMs: 600_000, requestTimeoutMs: 600_000 };
    cluster = await startCluster({ size: 1, env, connections });
  });
  afterAll(() => cluster.close());

  it('acknowledges all while Redis is healthy, and serves other requests', async () => {
    const { statuses, served } = await flood(instance().url, postUntilAccepted);
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(new Set(served)).toEqual(new Set([200]));
  });

  it('refuses them while Redis does not respond, and serves other requests', async () => {
    process.kill(cluster.redis.pid(), 'SIGSTOP');
    try {
      const { statuses, served } = await flood(instance().url, postUnwanted);
      expect(statuses).toEqual(statuses.map(() => 503));
      expect(new Set(served)).toEqual(new Set([200]));
    } finally {
      process.kill(cluster.redis.pid(), 'SIGCONT');
    }
    await waitUntilHealthy(cluster);
  });

  it('never uses more than 800 MiB of memory in total', () => {
    expect(peakMiB(instance().pid) ?? 0).toBeLessThan(800);
  });
});
