import type { Clock } from '@portico/core';

/**
 * Starts to measure an age in milliseconds: the longer of both times. Monotonic time does not advance while the machine is
 * suspended, and wall time may be set back.
 */
export const startAge = (clock: Clock): (() => number) => {
  const [startedAt, startedAtWallMs] = [clock.monotonic(), clock.now()];
  return () => Math.max(clock.monotonic() - startedAt, clock.now() - startedAtWallMs);
};
