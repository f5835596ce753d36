import type { Clock } from '@portico/core';

/** The minimum time between two lines of one kind. */
const intervalMs = 1000;

/**
 * Limits lines to one per second and kind. Returns the number of lines that were left out since the previous one of that
 * kind, or undefined when this one is to be left out.
 */
export const limitedLines = (clock: Clock): ((kind: string) => number | undefined) => {
  const lines = new Map<string, { readonly at: number; notLogged: number }>();
  return (kind) => {
    const previous = lines.get(kind);
    const now = clock.monotonic();
    if (previous && now - previous.at < intervalMs) {
      previous.notLogged++;
      return undefined;
    }
    lines.set(kind, { at: now, notLogged: 0 });
    return previous?.notLogged ?? 0;
  };
};
