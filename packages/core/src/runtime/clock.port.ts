/** Cancels a scheduled task. Does nothing if it has already run. */
export type Cancel = () => void;

/** The source of time. Tests replace it with a clock that they advance. */
export interface Clock {
  /** Wall time in milliseconds since the epoch. */
  now(): number;
  /** Monotonic time in milliseconds. Only differences are meaningful. */
  monotonic(): number;
  /** Runs `task` once, after `ms` milliseconds. */
  after(ms: number, task: () => void): Cancel;
}
