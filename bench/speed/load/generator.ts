/** The load generator, a separate process: receives a load over IPC, applies it, and replies with the result. */
import { type Load, type LoadResult, openLoad } from './load.ts';

const apply = async ({ seconds = 0, ...load }: Load): Promise<LoadResult> => {
  const open = await openLoad(load);
  try {
    return await open.send(seconds);
  } finally {
    open.close();
  }
};

process.on('message', (load: Load) => {
  apply(load).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.stdout.write('{}\n');
