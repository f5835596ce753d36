import type { Holding } from './inside.ts';
import type { Line } from './outcome.ts';

/** How much more there may be at the last rest than at the emptiest before. */
const mostGrowth = 2 * 1024 * 1024;
/** What the allocator keeps is not all ours to say. */
const mostResidentGrowth = 64 * 1024 * 1024;

const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);

/** What a process held whenever it rested; `idle` is what it held before there was any load. */
export const leakLines = (idle: Holding, rests: readonly Holding[]): readonly Line[] => {
  const memory = (title: string, of: (holding: Holding) => number, most: number): Line => ({
    title: `${title} at every rest, MiB`,
    seen: rests.map((rest) => mebibytes(of(rest))).join(', '),
    wanted: `at last at most ${mebibytes(most)} over the least before`,
    holds: of(rests.at(-1)!) - Math.min(...rests.slice(0, -1).map(of)) <= most,
  });
  const count = (title: string, of: (holding: Holding) => number): Line => ({
    title: `${title} at every rest`,
    seen: rests.map(of).join(', '),
    wanted: `at most ${of(idle)}, as before any load`,
    holds: rests.every((rest) => of(rest) <= of(idle)),
  });
  return [
    memory('heap without garbage', ({ heapBytes }) => heapBytes, mostGrowth),
    memory('memory outside the heap', ({ externalBytes }) => externalBytes, mostGrowth),
    memory('resident memory', ({ residentBytes }) => residentBytes, mostResidentGrowth),
    count('open sockets', ({ sockets }) => sockets),
    count('other open handles', ({ otherHandles }) => otherHandles),
    count('timers and the like', ({ active }) => Object.values(active).reduce((sum, each) => sum + each, 0)),
  ];
};
