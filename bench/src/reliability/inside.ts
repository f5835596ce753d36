/** Loaded into `portico serve` before anything of its own: asked over IPC, it says what the process holds, garbage aside. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { longestOf, type Stall, watchStalls } from './stalls.ts';

export interface Holding {
  readonly heapBytes: number;
  /** Outside V8's heap: buffers above all. */
  readonly externalBytes: number;
  readonly residentBytes: number;
  readonly sockets: number;
  readonly otherHandles: number;
  /** What keeps the event loop alive, by kind. */
  readonly active: Readonly<Record<string, number>>;
  /** So long it stood still at most, in milliseconds; 0 when never long enough to be noted. */
  readonly longestStallMs: number;
}

/** Starting is no standing still. */
const startMs = 2000;
let stalls: readonly Stall[] = [];
setTimeout(() => {
  stalls = watchStalls();
}, startMs).unref();

const collect = async (): Promise<void> => {
  // Finalizers free what a later turn collects, and V8 lets go of code only when many have found it unused.
  for (let turn = 0; turn < 20; turn++) {
    globalThis.gc?.();
    await pause(20);
  }
};

const handleFolder = '/proc/self/fd';

/** None where there is no `/proc` to count them in. */
const openHandles = (): readonly string[] =>
  (existsSync(handleFolder) ? readdirSync(handleFolder) : []).flatMap((name) => {
    try {
      return [readlinkSync(`${handleFolder}/${name}`)];
    } catch {
      return []; // the one that the folder was read with
    }
  });

const holding = async (): Promise<Holding> => {
  // Before the collections, which take long.
  const longestStallMs = longestOf(stalls);
  await collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  const handles = openHandles();
  const sockets = handles.filter((handle) => handle.startsWith('socket:')).length;
  const active: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) active[kind] = (active[kind] ?? 0) + 1;
  return {
    heapBytes: heapUsed,
    externalBytes: external,
    residentBytes: rss,
    sockets,
    otherHandles: handles.length - sockets,
    active,
    longestStallMs,
  };
};

process.on('message', () => {
  void holding().then((answer) => process.send?.(answer));
});
// Its parent was ended and could not end it.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// No reason for Portico to stay.
process.channel?.unref();
