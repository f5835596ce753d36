import type { Failure, Identity } from '@portico/core';
import type { Log } from '../telemetry/log.ts';
import { redactError } from '../telemetry/redact-error.ts';

const noKeys = 'no keys from the identity provider yet';

/** Fetches the keys before the first request needs them. Never rejects: an adapter of a given module may throw. */
export const prefetchKeys = async (identity: Identity, log: Log): Promise<void> => {
  try {
    const result = await identity.warm();
    if (result.isErr())
      log('warn', `${noKeys}; member requests get 502 until they are loaded`, { failure: loggable(result.error) });
  } catch (error) {
    log('error', noKeys, { error: redactError(error) });
  }
};

/** The cause of an unexpected failure may contain a token or a URL. */
const loggable = (failure: Failure): object =>
  failure.kind === 'unexpected' ? { kind: failure.kind, error: redactError(failure.cause) } : failure;

/** Returns why the server is not ready: without keys, no token can be verified. Each check tries to fetch them. */
export const missingKeys = async (identity: Identity | undefined): Promise<readonly string[]> =>
  identity === undefined || (await identity.warm()).isOk() ? [] : [noKeys];
