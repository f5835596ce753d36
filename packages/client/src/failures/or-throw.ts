import type { ResultAsync } from 'neverthrow';
import type { ClientFailure } from './failure.ts';

/** A failed call as an exception. Its message has no token, URL, locator or body. */
export class PorticoError extends Error {
  override readonly name = 'PorticoError';
  readonly failure: ClientFailure;

  constructor(failure: ClientFailure) {
    super(messageOf(failure));
    this.failure = failure;
  }
}

/**
 * Resolves with the value of a call, and rejects with `PorticoError` if it failed, for code and libraries that expect
 * promises: `await orThrow(portico.getCoverage())`.
 */
export const orThrow = async <Value>(call: ResultAsync<Value, ClientFailure>): Promise<Value> => {
  const result = await call;
  if (result.isErr()) throw new PorticoError(result.error);
  return result.value;
};

const messageOf = (failure: ClientFailure): string => {
  const details = [
    'service' in failure && failure.service,
    'reason' in failure && failure.reason,
    'status' in failure && failure.status,
    'code' in failure && failure.code !== failure.kind && failure.code,
  ].filter((detail) => detail !== false && detail !== undefined);
  return details.length === 0 ? failure.kind : `${failure.kind} (${details.join(', ')})`;
};
