import { setTimeout as pause } from 'node:timers/promises';

const collect = (globalThis as unknown as { readonly gc: () => void }).gc;

/** Bytes of the heap after garbage collection. Needs `--expose-gc`. */
export const heapUsed = async (): Promise<number> => {
  for (let time = 0; time < 3; time++) {
    collect();
    await pause(20);
  }
  return process.memoryUsage().heapUsed;
};

/** Prints one line of JSON, and keeps the process running until SIGTERM. */
export const printAndWait = (value: object): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`);
  setInterval(() => {}, 60_000);
};
