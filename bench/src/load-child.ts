import { start } from './children.ts';
import type { Load, LoadResult } from './load.ts';

export type PutLoad = (load: Load) => Promise<LoadResult>;

/** Puts load on a server from a process of its own. Rejects when an answer was not the one that was wanted. */
export const startLoad = async (): Promise<PutLoad> => {
  const child = await start('./load.ts');
  return async (load) => {
    const { result, error } = (await child.ask(load)) as { readonly result?: LoadResult; readonly error?: string };
    if (!result) throw new Error(error);
    return result;
  };
};
