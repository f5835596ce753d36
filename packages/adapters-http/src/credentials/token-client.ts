import {
  type AccessToken,
  type ClientSettings,
  type Clock,
  type Failure,
  upstream,
  upstreamStatus,
} from '@portico/core';
import { systemClock } from '@portico/core/system';
import { err, ok, okAsync, type Result, ResultAsync } from 'neverthrow';
import { httpClient, httpDefaults, type HttpSettings } from '../http/client.ts';
import { transportOf } from '../http/transport-of.ts';
import { discover, knownTokenUrl, requestTimeoutMs } from '../identity/discovery.ts';
import { identityDefaults } from '../identity/identity.ts';
import { accessTokenIn, postForm } from '../identity/token-endpoint.ts';
import { fieldOf } from '../json/field-of.ts';
import { type GuardSettings, ServiceGuard } from '../resilience/service-guard.ts';
import { clientAuthentication } from './client-authentication.ts';

export const tokenClientDefaults = { maxResponseBytes: 65_536 } as const;

/** The token endpoint and Portico's client there. Defaults: `tokenClientDefaults`, `httpDefaults` and `guardDefaults`. */
export interface TokenClientSettings extends HttpSettings, GuardSettings {
  readonly issuer: string;
  /** Default: `{issuer}/protocol/openid-connect/token` for a realm, otherwise discovered once. */
  readonly tokenUrl?: string;
  readonly client: ClientSettings;
}

/** Parameters of a token request. Undefined ones are left out. */
export type TokenForm = Readonly<Record<string, string | undefined>>;

/** Requests tokens for services at the identity provider, as Portico's own client. */
export interface TokenClient {
  readonly clock: Clock;
  /** Fails with `invalidGrant` if the provider refuses the grant, else with a failure of `identity`. Never retries. */
  request(form: TokenForm, invalidGrant?: Failure): ResultAsync<AccessToken, Failure>;
}

/** A longer token exceeds the limit of most servers for the header of a request. */
const maxTokenLength = 16_384;

/**
 * Creates the client of the token endpoint (RFC 6749, section 3.2). All services share its limits: concurrent requests,
 * circuit breaker and deadline. Not a library: decision 0126. Throws a TypeError for a bad private key.
 */
export const tokenClient = ({
  issuer,
  tokenUrl,
  client,
  clock = systemClock,
  timeoutMs = httpDefaults.timeoutMs,
  maxResponseBytes = tokenClientDefaults.maxResponseBytes,
  ...settings
}: TokenClientSettings): TokenClient => {
  const authenticate = clientAuthentication(client, issuer, clock);
  const known = knownTokenUrl({ issuer, tokenUrl });
  const transport = transportOf({ ...settings, timeoutMs });
  const guard = new ServiceGuard('identity', clock, settings);
  const clientFor = (maxBytes: number) =>
    httpClient(
      'identity',
      { ...settings, clock, maxResponseBytes: maxBytes, timeoutMs: requestTimeoutMs(timeoutMs, known) },
      transport,
      guard,
    );
  const http = clientFor(maxResponseBytes);

  let found: ResultAsync<string, Failure> | undefined;
  const endpoint = (): ResultAsync<string, Failure> => {
    if (known !== undefined) return okAsync(known);
    found ??= discover(issuer, 'token_endpoint', clientFor(identityDefaults.maxResponseBytes)).mapErr((failure) => {
      found = undefined;
      return failure;
    });
    return found;
  };

  const send = async (url: string, form: TokenForm, invalidGrant?: Failure): Promise<Result<AccessToken, Failure>> => {
    const authentication = await authenticate();
    const response = await postForm(http, url, { ...form, ...authentication.form }, isRefusal, authentication.headers);
    return response.andThen(({ status, value }) =>
      isRefusal(status)
        ? err(refusalOf(status, value, invalidGrant))
        : accessTokenIn(value).andThen((issued) =>
            issued.token.length > maxTokenLength ? err(upstream('identity', 'too-large')) : ok(issued),
          ),
    );
  };

  return {
    clock,
    request: (form, invalidGrant) => endpoint().andThen((url) => new ResultAsync(send(url, form, invalidGrant))),
  };
};

/** RFC 6749, section 5.2. Some providers respond to a policy that forbids an exchange with 403. */
const isRefusal = (status: number): boolean => status === 400 || status === 401 || status === 403;

/** Reads only the error code, because `error_description` may quote the request. */
const refusalOf = (status: number, body: unknown, invalidGrant: Failure | undefined): Failure =>
  invalidGrant !== undefined && fieldOf(body, 'error') === 'invalid_grant'
    ? invalidGrant
    : upstreamStatus('identity', status);
