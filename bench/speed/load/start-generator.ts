import { start } from '../../child-process.ts';
import { requestLoad } from '../../ipc.ts';
import type { Load, LoadResult } from './load.ts';

export type PutLoad = (load: Load) => Promise<LoadResult>;

/** Starts the load generator's process. The function rejects if a response is not a 200. */
export const startGenerator = async (): Promise<PutLoad> => {
  const child = await start(new URL('generator.ts', import.meta.url));
  return (load) => requestLoad(child, load);
};
