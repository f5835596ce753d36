/** The load generator, a separate process: receives a load over IPC, applies it, and replies with the result. */
import { serveLoads } from '../../ipc.ts';
import { type Load, type LoadResult, openLoad } from './load.ts';

serveLoads(async ({ seconds = 0, ...load }: Load): Promise<LoadResult> => {
  const open = await openLoad(load);
  try {
    return await open.send(seconds);
  } finally {
    open.close();
  }
});
