import {
  type AccessToken,
  type Failure,
  type HeaderFields,
  invalid,
  type TokenRequest,
  unauthenticated,
  upstream,
  upstreamStatus,
} from '@portico/core';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { HttpClient } from '../http/client.ts';
import type { WholeResponse } from '../http/response-readers.ts';
import { fieldOf } from '../json/field-of.ts';

/**
 * Posts a form to a token endpoint (RFC 6749, section 3.2), without its undefined parameters. Never retries or follows
 * redirects. Fails for every status but 200 and those of `isRefusal`.
 */
export const postForm = (
  client: HttpClient,
  url: string,
  form: Readonly<Record<string, string | undefined>>,
  isRefusal: (status: number) => boolean,
  headers: HeaderFields = {},
): ResultAsync<WholeResponse, Failure> => {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.append(name, value);
  return client.text(
    { method: 'POST', url, headers: { ...formHeaders, ...headers }, body: body.toString() },
    (status) => (status === 200 || isRefusal(status) ? undefined : upstreamStatus('identity', status)),
  );
};

const formHeaders = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' } as const;

/** Requests a token (RFC 6749, sections 4.3.2 and 4.4.2). Not a library: decision 0102. */
export const requestToken = (
  client: HttpClient,
  url: string,
  request: TokenRequest,
): ResultAsync<AccessToken, Failure> =>
  postForm(client, url, formOf(request), isRejection).andThen(({ status, value }) =>
    isRejection(status) ? err(rejectionOf(status, value, request)) : accessTokenIn(value),
  );

const formOf = ({ grant, clientId, clientSecret, scope, ...user }: TokenRequest) => ({
  grant_type: grant,
  client_id: clientId,
  client_secret: clientSecret,
  ...('username' in user && { username: user.username, password: user.password }),
  scope,
});

/** RFC 6749, section 5.2: errors have status 400, or 401 when client authentication failed. */
const isRejection = (status: number) => status === 400 || status === 401;

/** Reads only the error code, because `error_description` may quote the request. */
const rejectionOf = (status: number, body: unknown, { grant }: TokenRequest): Failure => {
  switch (fieldOf(body, 'error')) {
    case 'invalid_grant':
      return unauthenticated('invalid-grant');
    case 'invalid_client':
    case 'unauthorized_client':
      return unauthenticated('invalid-client');
    case 'unsupported_grant_type':
      return rejected('/grant_type', 'is not supported by the identity provider');
    case 'invalid_scope':
      return rejected('/scope', 'is not supported by the identity provider');
    case 'invalid_request':
      return rejected('', 'is not valid for this client');
    default:
      // Some providers respond to a wrong password with a 401 without an error code.
      if (status === 401) return unauthenticated(grant === 'password' ? 'invalid-grant' : 'invalid-client');
      return upstreamStatus('identity', status);
  }
};

const rejected = (path: string, message: string) =>
  invalid('The identity provider rejected the token request.', { path, message });

/**
 * Reads the access token (RFC 6749, section 5.1). Only Bearer tokens (RFC 6750) are supported. Other characters than
 * visible ASCII (RFC 6749, appendix A.12) could end a header line or control a terminal; a space ends a credential.
 */
export const accessTokenIn = (body: unknown): Result<AccessToken, Failure> => {
  const token = fieldOf(body, 'access_token');
  const type = fieldOf(body, 'token_type') ?? 'Bearer';
  const expiresInSeconds = secondsIn(fieldOf(body, 'expires_in'));
  if (
    typeof token !== 'string' ||
    !/^[!-~]+$/.test(token) ||
    typeof type !== 'string' ||
    type.toLowerCase() !== 'bearer'
  )
    return err(upstream('identity', 'malformed'));
  return ok({ token, ...(expiresInSeconds !== undefined && { expiresInSeconds }) });
};

/** Some providers send the lifetime as a string. */
const secondsIn = (value: unknown): number | undefined => {
  if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value);
  return typeof value === 'number' ? value : undefined;
};
