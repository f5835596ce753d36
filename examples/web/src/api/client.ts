import { type ClientFailure, porticoClient, type PorticoClient } from '@portico/client';
import type { ResultAsync } from 'neverthrow';

/** A call to Portico. */
type Call<T> = (portico: PorticoClient) => ResultAsync<T, ClientFailure>;

/** Makes a call with the member's token. Resolves with its value, rejects with `CallFailed`. */
export type Caller = <T>(call: Call<T>) => Promise<T>;

/** A call that failed, as the exception that React Query expects. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly failure: ClientFailure;

  constructor(failure: ClientFailure) {
    super(failure.kind);
    this.failure = failure;
  }
}

/** Longer than any deadline that can be configured in Portico, so that Portico's deadlines apply. */
const timeoutMs = 600_000;

/** `apiUrl` may be relative to the host of the pages. */
export const createCaller = (apiUrl: string, token: string | undefined, onUnauthenticated: () => void): Caller => {
  const { href } = new URL(apiUrl, window.location.origin);
  const portico = porticoClient({ url: href, token, timeoutMs, searchTimeoutMs: timeoutMs });
  return async (call) => {
    const result = await call(portico);
    if (result.isOk()) return result.value;
    if (isUnauthenticated(result.error)) onUnauthenticated();
    throw new CallFailed(result.error);
  };
};

/** A proxy in front of Portico may refuse the token, too. */
const isUnauthenticated = (failure: ClientFailure): boolean =>
  failure.kind === 'unauthenticated' || (failure.kind === 'unexpected-response' && failure.status === 401);
