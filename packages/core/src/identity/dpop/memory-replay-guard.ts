import type { Clock } from '../../runtime/clock.port.ts';
import { Generations } from '../../runtime/generations.ts';
import { maxReplaySeconds, type ReplayGuard } from './replay-guard.port.ts';

export const replayGuardDefaults = { maxValues: 500_000 } as const;

/** Defaults: `replayGuardDefaults`. */
export interface MemoryReplayGuardSettings {
  readonly clock: Clock;
  /** The maximum number of values. Beyond it `use` returns `full`, until older values expire. */
  readonly maxValues?: number;
}

/** Remembers values in memory, for one process: with several instances, a value can be used once on each. */
export const memoryReplayGuard = ({
  clock,
  maxValues = replayGuardDefaults.maxValues,
}: MemoryReplayGuardSettings): ReplayGuard => {
  const used = new Generations<true>(clock, maxReplaySeconds * 1000);
  return {
    use: (value) => {
      if (used.get(value)) return Promise.resolve('repeated');
      if (used.size >= maxValues) return Promise.resolve('full');
      used.set(value, true);
      return Promise.resolve('first');
    },
  };
};
