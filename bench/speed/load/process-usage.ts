import { readdirSync, readFileSync } from 'node:fs';

/** Processor time that the threads of a process have used, in milliseconds, exact to the microsecond; NaN without `/proc`. */
export const processorTime = (pid: number): number => {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const nanoseconds = threads.map((thread) =>
      Number.parseInt(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')),
    );
    return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
  } catch {
    return Number.NaN;
  }
};

/** Resident memory of a process in bytes; NaN without `/proc`. */
export const residentMemory = (pid: number): number => {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  } catch {
    return Number.NaN;
  }
};

/** Processor time that this process uses for some work on all its threads, in microseconds. */
export const ownProcessorTime = async (work: () => Promise<void>): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
};
