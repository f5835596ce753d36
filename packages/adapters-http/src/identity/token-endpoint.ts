import { type AccessToken, type Failure, invalid, type TokenRequest, unauthenticated, upstream } from '@portico/core';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { httpClient } from '../http/client.ts';

/**
 * Requests a token from the token endpoint (RFC 6749, sections 4.3.2 and 4.4.2). Never retries or follows redirects.
 * Not a library: decision 0102.
 */
export const requestToken = (
  client: Pick<ReturnType<typeof httpClient>, 'text'>,
  url: string,
  request: TokenRequest,
): ResultAsync<AccessToken, Failure> =>
  client
    .text(
      {
        method: 'POST',
        url,
        headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
        body: formOf(request),
      },
      (status) => (status === 200 || isRejection(status) ? undefined : upstream('identity', 'status')),
    )
    .andThen(({ status, value }) =>
      isRejection(status) ? err(rejectionOf(status, value, request)) : accessTokenIn(value),
    );

const formOf = ({ grant, clientId, clientSecret, scope, ...user }: TokenRequest): string =>
  new URLSearchParams({
    grant_type: grant,
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...('username' in user && { username: user.username, password: user.password }),
    ...(scope !== undefined && { scope }),
  }).toString();

/** RFC 6749, section 5.2: errors have status 400, or 401 when client authentication failed. */
const isRejection = (status: number) => status === 400 || status === 401;

/** Reads only the error code, because `error_description` may quote the request. */
const rejectionOf = (status: number, body: unknown, { grant }: TokenRequest): Failure => {
  switch (field(body, 'error')) {
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
      return upstream('identity', 'status');
  }
};

const rejected = (path: string, message: string) =>
  invalid('The identity provider rejected the token request.', { path, message });

/**
 * Reads the access token (RFC 6749, section 5.1). Only Bearer tokens (RFC 6750) are supported. Other characters than
 * visible ASCII (RFC 6749, appendix A.12) could end a header line or control a terminal; a space ends a credential.
 */
export const accessTokenIn = (body: unknown): Result<AccessToken, Failure> => {
  const token = field(body, 'access_token');
  const type = field(body, 'token_type') ?? 'Bearer';
  const expiresInSeconds = field(body, 'expires_in');
  if (
    typeof token !== 'string' ||
    !/^[!-~]+$/.test(token) ||
    typeof type !== 'string' ||
    type.toLowerCase() !== 'bearer'
  )
    return err(upstream('identity', 'malformed'));
  return ok({ token, ...(typeof expiresInSeconds === 'number' && { expiresInSeconds }) });
};

export const field = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, name)
    ? (body as Readonly<Record<string, unknown>>)[name]
    : undefined;
