import type { ReplayGuard } from './replay-guard.port.ts';

export interface FakeReplayGuard extends ReplayGuard {
  /** Each value so far, with its seconds, oldest first. */
  readonly used: readonly (readonly [value: string, seconds: number])[];
  /** Makes `use` return `full`, until `fill(false)`. */
  fill(isFull: boolean): void;
}

/** Remembers every value for ever. */
export const fakeReplayGuard = (): FakeReplayGuard => {
  const used: (readonly [string, number])[] = [];
  let full = false;
  return {
    used,
    use: (value, seconds) => {
      if (full) return Promise.resolve('full');
      const isRepeated = used.some(([known]) => known === value);
      used.push([value, seconds]);
      return Promise.resolve(isRepeated ? 'repeated' : 'first');
    },
    fill: (isFull) => {
      full = isFull;
    },
  };
};
