interface Timers {
  setTimeout(task: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** Taken when the module is loaded, so that fake timers which a test installs later do not stop the deadline. */
const { setTimeout, clearTimeout } = globalThis as unknown as Timers;

const steps = 10;

/**
 * Settles like `promise`, or rejects with `late` after `ms` milliseconds. The time is measured in steps: while the
 * process is stalled, at most one step passes, so a busy machine is not mistaken for a call that never settles. The timer
 * keeps the process alive on purpose: otherwise node:test on Node 22 ends before the deadline, and names no call.
 */
export const withDeadline = async <T>(promise: PromiseLike<T>, ms: number, late: Error): Promise<T> => {
  let timer: unknown;
  const deadline = new Promise<never>((_, reject) => {
    const step = (left: number) => {
      timer = setTimeout(() => (left === 1 ? reject(late) : step(left - 1)), ms / steps);
    };
    step(steps);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
};
