import type { Environment } from '@portico/demo/environment';
import { expect } from 'vitest';

/** Collects twice, because buffers are freed on another thread after the first time. */
const probe = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collect();
    setImmediate(() => {
      collect();
      const { heapUsed: heap, arrayBuffers: buffers } = process.memoryUsage();
      process.stderr.write(JSON.stringify({ heap, buffers }) + '\\n');
    });
  });`;

/** Environment variables of a `portico serve` whose memory is measured: it loads the probe first. */
export const withMemoryProbe = {
  NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=data:text/javascript,${encodeURIComponent(probe)}`,
};

interface UsedBytes {
  readonly heap: number;
  readonly buffers: number;
}

/** The memory that a server with the probe still uses after a garbage collection. */
export const usedBytes = async ({ log, portico }: Pick<Environment, 'log' | 'portico'>): Promise<UsedBytes> => {
  const reports = () => [...log().matchAll(/^\{"heap":\d+,"buffers":\d+\}$/gm)];
  const earlier = reports().length;
  process.kill(portico.pid, 'SIGUSR2');
  await expect.poll(() => reports().length).toBe(earlier + 1);
  return JSON.parse(reports().at(-1)![0]) as UsedBytes;
};
