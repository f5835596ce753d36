import {
  type ClientFailure,
  isUnauthenticated,
  porticoClient,
  type PorticoClient,
  type PorticoClientSettings,
} from '@portico/client';
import type { ResultAsync } from 'neverthrow';

/** A call to Portico. `reference` returns the request id once there is a response. */
type Call<T> = (portico: PorticoClient, reference: () => string | undefined) => ResultAsync<T, ClientFailure>;

/** Makes a call with the member's token. Resolves with its value, rejects with `CallFailed`. */
export type Caller = <T>(call: Call<T>) => Promise<T>;

/** A call that failed, as the exception that React Query expects. */
export class CallFailed extends Error {
  readonly failure: ClientFailure;
  /** The request id that the server logged, if there was a response. */
  readonly reference: string | undefined;

  constructor(failure: ClientFailure, reference?: string) {
    super(failure.kind);
    this.failure = failure;
    this.reference = reference;
  }
}

/** The longest deadline that can be configured in Portico, so that Portico's deadlines apply. */
const timeoutMs = 600_000;

/** How the server knows the member: by a token, or by the cookie of the session. */
export type Credentials = Pick<PorticoClientSettings, 'token' | 'session'>;

/** `apiUrl` may be relative to the host of the pages. `onRefused` is called when the server refuses the credentials. */
export const createCaller = (
  apiUrl: string,
  credentials: Credentials,
  onRefused: (failed: CallFailed) => void,
): Caller => {
  const { href } = new URL(apiUrl, window.location.origin);
  return async (call) => {
    let reference: string | undefined;
    // One client per call, because only the response has the request id.
    const portico = porticoClient({
      url: href,
      ...credentials,
      timeoutMs,
      searchTimeoutMs: timeoutMs,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        reference = response.headers.get('X-Request-Id') ?? undefined;
        return response;
      },
    });
    const result = await call(portico, () => reference);
    if (result.isOk()) return result.value;
    const failed = new CallFailed(result.error, reference);
    if (isUnauthenticated(result.error)) onRefused(failed);
    throw failed;
  };
};
