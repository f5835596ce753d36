import { machineTime } from '../machine-time.ts';

/** A time in which a process did nothing at all, in machine time. */
export interface Stall {
  readonly from: number;
  readonly to: number;
}

const lookEveryMs = 25;
/** Shorter ones make nobody miss a deadline here. */
const leastMs = 250;

/** Notes when this process stands still: whoever else wants the processor, a collection of garbage, a turn that is too long. */
export const watchStalls = (): readonly Stall[] => {
  const stalls: Stall[] = [];
  let lookedAt = machineTime();
  const look = () => {
    const now = machineTime();
    if (now - lookedAt >= leastMs) stalls.push({ from: lookedAt, to: now });
    lookedAt = now;
  };
  setInterval(look, lookEveryMs).unref();
  return stalls;
};

export const longestOf = (stalls: readonly Stall[]): number => Math.max(0, ...stalls.map(({ from, to }) => to - from));
