import type { Clock } from './clock.port.ts';

/** A clock that stands still until it is moved. */
export interface FakeClock extends Clock {
  /** Moves time on and runs, in order, what falls due on the way. */
  advance(ms: number): void;
  /** How many tasks still wait. */
  readonly scheduled: number;
}

/** @param start wall time in milliseconds since the epoch; 2026-01-01T00:00:00Z when not given */
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
