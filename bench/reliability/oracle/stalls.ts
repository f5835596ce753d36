import { machineTime } from '../../machine-time.ts';

/** A period in which the event loop of a process did not run, in machine time. */
export interface Stall {
  readonly from: number;
  readonly to: number;
}

const checkEveryMs = 25;
/** Shorter stalls cannot cause a timeout here. */
const minimumMs = 250;

/** Records the stalls of this process: a busy processor, garbage collection, or a long callback. */
export const watchStalls = (): readonly Stall[] => {
  const stalls: Stall[] = [];
  let checkedAt = machineTime();
  setInterval(() => {
    const now = machineTime();
    if (now - checkedAt >= minimumMs) stalls.push({ from: checkedAt, to: now });
    checkedAt = now;
  }, checkEveryMs).unref();
  return stalls;
};

export const longestMs = (stalls: readonly Stall[]): number => Math.max(0, ...stalls.map(({ from, to }) => to - from));
