import { loadSettings, type Log, type RunningServer, serve } from '@portico/cli/serve';
import type { Result } from 'neverthrow';

/** Serves these settings in this process. Throws if they are not valid, or if the server does not start. */
export const serveHere = async (values: object, log?: Log): Promise<RunningServer> =>
  unwrap(await serve({ ...unwrap(loadSettings({ values })), ...(log && { log }) }));

const unwrap = <T>(result: Result<T, unknown>): T =>
  result.match(
    (value) => value,
    (problem) => {
      throw new Error(JSON.stringify(problem));
    },
  );
