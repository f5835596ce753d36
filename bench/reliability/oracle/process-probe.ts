/** Loaded into the system under test with `--import`: replies to each IPC message with a `Snapshot`. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { longestMs, watchStalls } from '../stalls.ts';

/** Start-up blocks the event loop and is not counted. */
const startUpMs = 2000;
let stalls: ReturnType<typeof watchStalls> = [];
setTimeout(() => {
  stalls = watchStalls();
}, startUpMs).unref();

/** Empty without `/proc`. The handle of the folder itself is closed again and has no entry. */
const openHandles = () => {
  const folder = '/proc/self/fd';
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap((name) => statSync(`${folder}/${name}`, { throwIfNoEntry: false }) ?? []);
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
  const sockets = handles.filter((handle) => handle.isSocket()).length;
  const otherHandles = handles.length - sockets;
  // Timers and other resources that keep the event loop running.
  const activeResources = process.getActiveResourcesInfo().length;
  return { heapBytes, externalBytes, residentBytes, sockets, otherHandles, activeResources, longestStallMs };
};

export type Snapshot = Awaited<ReturnType<typeof snapshot>>;

process.on('message', async () => process.send?.(await snapshot()));
// The parent was killed and could not stop this process.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel must not keep the process running.
process.channel?.unref();
