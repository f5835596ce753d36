import { Agent, request } from 'undici';
import type { Child } from '../../child-process.ts';
import { processorTime } from './process-usage.ts';

const batch = 500;
/** The number of operations at the same time. */
export const concurrency = 8;

/** Runs one batch of an operation, and returns the processor time that the server used, in milliseconds. */
const cpuOfBatch = async ({ pid }: Child, run: () => Promise<void>): Promise<number> => {
  const before = processorTime(pid);
  const worker = async () => {
    for (let done = 0; done < batch / concurrency; done++) await run();
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return processorTime(pid) - before;
};

/**
 * Processor time that a server uses for one of each operation, in microseconds. The batches of the operations take turns, so
 * that all of them meet the same machine.
 */
export const processorTimes = async (
  server: Child,
  operations: readonly (() => Promise<void>)[],
  seconds: number,
): Promise<readonly number[]> => {
  for (const run of [...operations, ...operations, ...operations]) await cpuOfBatch(server, run);
  const used = operations.map(() => 0);
  const endAt = performance.now() + seconds * 1000;
  let rounds = 0;
  for (; performance.now() < endAt; rounds++) {
    const turns = [...operations.entries()];
    for (const [at, run] of rounds % 2 === 0 ? turns : turns.toReversed()) used[at]! += await cpuOfBatch(server, run);
  }
  return used.map((time) => (time * 1000) / (rounds * batch));
};

/** Sends GET requests to a server. Each rejects unless its status is 200. */
export const getter = (baseUrl: string, headers: Readonly<Record<string, string>>, connections = concurrency) => {
  const dispatcher = new Agent({ connections });
  const get = async (path: string): Promise<void> => {
    const { statusCode, body } = await request(baseUrl + path, { dispatcher, headers });
    await body.dump();
    if (statusCode !== 200) throw new Error(`${path} returned ${statusCode}.`);
  };
  return { get, close: () => dispatcher.close() };
};
