import type { Child } from './child-process.ts';

/** Applies the loads that this process receives over IPC, and replies to each with its result or its error. */
export const serveLoads = (apply: (load: never) => Promise<unknown>): void => {
  process.on('message', (load) => {
    apply(load as never).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
  process.stdout.write('{}\n');
};

/** Sends a load to a process that serves loads. Rejects if it replies with an error. */
export const requestLoad = async <Result>(child: Child, load: object): Promise<Result> => {
  const { result, error } = (await child.request(load)) as { readonly result?: Result; readonly error?: string };
  if (!result) throw new Error(error);
  return result;
};
