import type { Identity } from '@portico/core';
import type { Log } from '../telemetry/log.ts';

const noKeys = 'no keys from the identity provider yet';

/** Fetches the keys before the first request needs them. */
export const prefetchKeys = async (identity: Identity, log: Log): Promise<void> => {
  const result = await identity.warm();
  if (result.isErr()) log('warn', `${noKeys}; member requests get 502 until then`, { failure: result.error });
};

/** Returns why the server is not ready: without keys, no token can be verified. Each check tries to fetch them. */
export const missingKeys = async (identity: Identity | undefined): Promise<readonly string[]> =>
  identity === undefined || (await identity.warm()).isOk() ? [] : [noKeys];
