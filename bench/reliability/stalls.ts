import { type Interval, machineTime } from '../machine-time.ts';

const checkEveryMs = 25;
/** Shorter stalls cannot cause a timeout here. */
const minimumMs = 250;

/** Records when the event loop of this process does not run: a busy processor, garbage collection, or a long callback. */
export const watchStalls = (): readonly Interval[] => {
  const stalls: Interval[] = [];
  let checkedAt = machineTime();
  setInterval(() => {
    const now = machineTime();
    if (now - checkedAt >= minimumMs) stalls.push({ from: checkedAt, to: now });
    checkedAt = now;
  }, checkEveryMs).unref();
  return stalls;
};

export const longestMs = (stalls: readonly Interval[]): number =>
  Math.max(0, ...stalls.map(({ from, to }) => to - from));
