import type { Clock } from './clock.port.ts';

/** A clock that advances only when a test calls `advance`. */
export interface FakeClock extends Clock {
  /** Advances the time and runs the tasks that become due, in order of time. */
  advance(ms: number): void;
  /** The number of tasks that have not run yet. */
  readonly scheduled: number;
}

/** @param start wall time in milliseconds since the epoch; defaults to 2026-01-01T00:00:00Z */
export const fakeClock = (start = 1_767_225_600_000): FakeClock => {
  let elapsed = 0;
  let tasks: { readonly due: number; readonly run: () => void }[] = [];
  const next = (until: number) =>
    tasks.filter((task) => task.due <= until).toSorted((one, other) => one.due - other.due)[0];
  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after: (ms, run) => {
      const task = { due: elapsed + Math.max(0, ms), run };
      tasks.push(task);
      return () => {
        tasks = tasks.filter((other) => other !== task);
      };
    },
    advance: (ms) => {
      const until = elapsed + ms;
      for (let task = next(until); task; task = next(until)) {
        const due = task;
        tasks = tasks.filter((other) => other !== due);
        elapsed = due.due;
        due.run();
      }
      elapsed = until;
    },
    get scheduled() {
      return tasks.length;
    },
  };
};
