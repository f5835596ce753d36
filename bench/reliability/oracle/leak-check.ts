import { type Requirement, requirement } from '../../requirements.ts';
import type { Snapshot } from './process-probe.ts';

const mebibyte = 1024 * 1024;

/** Compares snapshots at each rest with earlier rests and with `idle`, the snapshot before any load. */
export const leakRequirements = (idle: Snapshot, rests: readonly Snapshot[]): readonly Requirement[] => {
  const memory = (title: string, figure: keyof Snapshot, growth: number): Requirement => {
    const values = rests.map((rest) => rest[figure] / mebibyte);
    const isMet = values.at(-1)! <= Math.min(...values.slice(0, -1)) + growth;
    const measured = values.map((value) => value.toFixed(1)).join(', ');
    const required = `the last at most ${growth} over the least before`;
    return requirement(`${title} at each rest, MiB`, measured, isMet, required);
  };
  const count = (title: string, figure: keyof Snapshot): Requirement => {
    const values = rests.map((rest) => rest[figure]);
    const isMet = values.every((value) => value <= idle[figure]);
    const required = `at most ${idle[figure]}, as before any load`;
    return requirement(`${title} at each rest`, values.join(', '), isMet, required);
  };
  return [
    memory('heap after garbage collection', 'heapBytes', 2),
    memory('memory outside the heap', 'externalBytes', 2),
    // Includes memory that the allocator keeps.
    memory('resident memory', 'residentBytes', 64),
    count('open sockets', 'sockets'),
    count('other open handles', 'otherHandles'),
    count('timers and other active resources', 'activeResources'),
  ];
};
