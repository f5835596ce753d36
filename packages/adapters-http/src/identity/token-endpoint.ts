import { type AccessToken, type Failure, invalid, type TokenRequest, unauthenticated, upstream } from '@portico/core';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { httpClient } from '../http/client.ts';

/**
 * One request to the token endpoint (RFC 6749, sections 4.3.2 and 4.4.2), never repeated and never redirected.
 * Without a library: decision 0102.
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
      (status) => (status === 200 || isRefusal(status) ? undefined : upstream('identity', 'status')),
    )
    .andThen(({ status, value }) =>
      isRefusal(status) ? err(refusalOf(status, value, request)) : accessTokenIn(value),
    );

const formOf = ({ grant, clientId, clientSecret, scope, ...user }: TokenRequest): string =>
  new URLSearchParams({
    grant_type: grant,
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...('username' in user && { username: user.username, password: user.password }),
    ...(scope !== undefined && { scope }),
  }).toString();

/** RFC 6749, section 5.2: refused with 400, or 401 when the client did not authenticate. */
const isRefusal = (status: number) => status === 400 || status === 401;

/** The provider's own words may quote what was sent, so only its code is read. */
const refusalOf = (status: number, body: unknown, { grant }: TokenRequest): Failure => {
  switch (field(body, 'error')) {
    case 'invalid_grant':
      return unauthenticated('invalid-grant');
    case 'invalid_client':
    case 'unauthorized_client':
      return unauthenticated('invalid-client');
    case 'unsupported_grant_type':
      return notTaken('/grant_type', 'is not offered by the identity provider');
    case 'invalid_scope':
      return notTaken('/scope', 'is not offered by the identity provider');
    case 'invalid_request':
      return notTaken('', 'is not one that the identity provider takes from this client');
    default:
      // Some providers answer a wrong password with a bare 401.
      if (status === 401) return unauthenticated(grant === 'password' ? 'invalid-grant' : 'invalid-client');
      return upstream('identity', 'status');
  }
};

const notTaken = (path: string, message: string) =>
  invalid('The identity provider does not take this token request.', { path, message });

/** RFC 6749, section 5.1. Of a type other than Bearer (RFC 6750) we could not make use. */
const accessTokenIn = (body: unknown): Result<AccessToken, Failure> => {
  const token = field(body, 'access_token');
  const type = field(body, 'token_type') ?? 'Bearer';
  const expiresInSeconds = field(body, 'expires_in');
  if (typeof token !== 'string' || token === '' || typeof type !== 'string' || type.toLowerCase() !== 'bearer')
    return err(upstream('identity', 'malformed'));
  return ok({ token, ...(typeof expiresInSeconds === 'number' && { expiresInSeconds }) });
};

const field = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, name)
    ? (body as Readonly<Record<string, unknown>>)[name]
    : undefined;
