/** Loaded into the system under test with `--import`: replies to each IPC message with a `Snapshot`. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { longestMs, type Stall, watchStalls } from './stalls.ts';

/** Start-up blocks the event loop and is not counted. */
const startUpMs = 2000;
let stalls: readonly Stall[] = [];
setTimeout(() => {
  stalls = watchStalls();
}, startUpMs).unref();

/** Empty without `/proc`. */
const openHandles = (): readonly string[] => {
  const folder = '/proc/self/fd';
  return (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      return []; // the handle of the folder itself
    }
  });
};

/** Memory and handles of the process after garbage collection. */
const snapshot = async () => {
  // Read before the collections, which block the event loop.
  const longestStallMs = longestMs(stalls);
  // Repeated, because finalizers free objects for the next collection and V8 drops unused code only after several.
  for (let turn = 0; turn < 20; turn++) {
    globalThis.gc?.();
    await pause(20);
  }
  const { heapUsed: heapBytes, external: externalBytes, rss: residentBytes } = process.memoryUsage();
  const handles = openHandles();
  const sockets = handles.filter((handle) => handle.startsWith('socket:')).length;
  const otherHandles = handles.length - sockets;
  // Timers and other resources that keep the event loop running.
  const activeResources = process.getActiveResourcesInfo().length;
  return { heapBytes, externalBytes, residentBytes, sockets, otherHandles, activeResources, longestStallMs };
};

export type Snapshot = Awaited<ReturnType<typeof snapshot>>;

process.on('message', () => {
  void snapshot().then((reply) => process.send?.(reply));
});
// The parent was killed and could not stop this process.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel must not keep the process running.
process.channel?.unref();
