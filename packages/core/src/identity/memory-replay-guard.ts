import type { Clock } from '../runtime/clock.port.ts';
import { maxReplaySeconds, type ReplayGuard } from './replay-guard.port.ts';

export interface MemoryReplayGuardSettings {
  readonly clock: Clock;
  /** The maximum number of values. Beyond it `use` returns `full`, until older values expire. Default 500,000. */
  readonly maxValues?: number;
}

/** Remembers values in memory, for one process: with several instances, a value can be used once on each. */
export const memoryReplayGuard = ({ clock, maxValues = 500_000 }: MemoryReplayGuardSettings): ReplayGuard => {
  // Two generations, rotated without a timer: each value is remembered for one to two times `maxReplaySeconds`.
  let current = new Set<string>();
  let previous = new Set<string>();
  let rotatedAt = clock.monotonic();

  const rotate = (): void => {
    const age = clock.monotonic() - rotatedAt;
    if (age < maxReplaySeconds * 1000) return;
    previous = age < 2 * maxReplaySeconds * 1000 ? current : new Set();
    current = new Set();
    rotatedAt = clock.monotonic();
  };

  return {
    use: (value) => {
      rotate();
      if (current.has(value) || previous.has(value)) return Promise.resolve('repeated');
      if (current.size + previous.size >= maxValues) return Promise.resolve('full');
      current.add(value);
      return Promise.resolve('first');
    },
  };
};
