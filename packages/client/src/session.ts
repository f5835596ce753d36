import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { type ClientFailure, isUnauthenticated, unexpectedResponseFailure } from './failures/failure.ts';
import {
  isObject,
  sessionLoginPath,
  sessionLogoutPath,
  sessionMemberHeader,
  sessionPath,
  type Signal,
} from '@portico/core';
import { withQuery } from './paths.ts';
import type { JsonResponse, Transport } from './transport.ts';

/** Whether the browser is signed in (contract, section 11). */
export type SessionStatus =
  | { readonly isSignedIn: false }
  | {
      readonly isSignedIn: true;
      readonly name: string | undefined;
      /** An opaque value that differs for each member. */
      readonly member: string | undefined;
      /** When the session ends if it is not used, as the server sent it (ISO 8601). */
      readonly expiresAt: string;
      /** The same in milliseconds of this browser's clock, which may differ from the server's; exact to a second. */
      readonly endsAt: number;
    };

/**
 * The browser session of a page. Requests have the session cookie, and no token. Their timeout is `timeoutMs`,
 * but at least 15 s, because Portico waits up to 10 s for two requests to the identity provider.
 */
export interface SessionCalls {
  /** Does not extend the session, so a page may read it regularly. */
  read(signal?: Signal): ResultAsync<SessionStatus, ClientFailure>;
  /**
   * Signs out. Returns the page where the identity provider ends its own session; undefined without one. After a failure the
   * member may still be signed in.
   */
  end(signal?: Signal): ResultAsync<string | undefined, ClientFailure>;
  /** Where the browser goes to sign in. It returns to this path of the same origin, which may have a query. */
  signInUrl(returnTo: string): string;
}

export const sessionCalls = ({ requestJson }: Transport, base: string): SessionCalls => ({
  read: (signal) =>
    requestJson({ path: sessionPath, signal })
      .andThen(statusIn)
      .orElse((failure) => (isUnauthenticated(failure) ? ok<SessionStatus>({ isSignedIn: false }) : err(failure))),
  end: (signal) =>
    requestJson({ method: 'POST', path: sessionLogoutPath, signal }).map(({ json }) => logoutUrlIn(json.value)),
  signInUrl: (returnTo) => base + withQuery(sessionLoginPath, [['return_to', returnTo]]),
});

const statusIn = ({ json: { value }, response }: JsonResponse): Result<SessionStatus, ClientFailure> => {
  const unexpected = err(unexpectedResponseFailure(response));
  if (!isObject(value)) return unexpected;
  if (value['authenticated'] !== true) return ok({ isSignedIn: false });
  const { expires_at: expiresAt, name } = value;
  const now = Date.now();
  const endsAt = now + Date.parse(expiresAt as string) - (Date.parse(response.headers.get('Date') ?? '') || now);
  if (typeof expiresAt !== 'string' || !(endsAt > 0)) return unexpected;
  return ok({
    isSignedIn: true,
    name: typeof name === 'string' ? name : undefined,
    member: response.headers.get(sessionMemberHeader) ?? undefined,
    expiresAt,
    endsAt,
  });
};

const logoutUrlIn = (value: unknown): string | undefined =>
  isObject(value) && typeof value['logout_url'] === 'string' && /^https?:/.test(value['logout_url'])
    ? value['logout_url']
    : undefined;
