import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** Runs a task while every core runs an endless loop. The loops are threads, so they end with this process at the latest. */
export const withBusyCores = async <Value>(task: () => Promise<Value>): Promise<Value> => {
  const loops = Array.from({ length: availableParallelism() }, () => new Worker('for (;;);', { eval: true }));
  try {
    return await task();
  } finally {
    await Promise.all(loops.map((loop) => loop.terminate()));
  }
};
