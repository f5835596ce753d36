/** Ends what was scheduled; harmless when it already ran. */
export type Cancel = () => void;

/** Time, so that tests can move it by hand. */
export interface Clock {
  /** Wall time in milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a scale that never jumps back. Only differences mean anything. */
  monotonic(): number;
  /** Runs `task` once, `ms` milliseconds from now. */
  after(ms: number, task: () => void): Cancel;
}
