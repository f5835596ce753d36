import {
  type Failure,
  type Identity,
  refusedToken,
  signatureAlgorithms,
  type TokenClaims,
  type TokenRefusal,
  upstream,
} from '@portico/core';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { err, ok, okAsync, type Result, ResultAsync } from 'neverthrow';
import { httpClient, httpDefaults, type HttpSettings } from '../http/client.ts';
import { checkNumbers } from '../resilience/number-settings.ts';
import { discover, getJson, knownTokenUrl, requestTimeoutMs } from './discovery.ts';
import { KeysUnavailable, keySet, type KeySetObserver } from './key-set.ts';
import { transportOf } from '../http/transport-of.ts';
import { systemClock } from '@portico/core/system';
import { requestToken } from './token-endpoint.ts';
import { knownHeaders } from './known-headers.ts';
import { verifiedTokens } from './token-cache.ts';

/** `maxResponseBytes` limits key sets and discovery documents. */
export const identityDefaults = {
  algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
  clockToleranceSeconds: 5,
  maxLifetimeSeconds: 86_400,
  keyCacheSeconds: 600,
  maxResponseBytes: 1_048_576,
} as const;

/** Defaults: `identityDefaults` and `httpDefaults`. */
export interface IdentitySettings extends HttpSettings {
  /** The required `iss` of tokens, and the base URL of discovery when there is no `jwksUrl`. */
  readonly issuer: string;
  /** Accepted audiences. A token's `aud` must contain at least one. */
  readonly audience: readonly string[];
  readonly jwksUrl?: string;
  /** The token endpoint. Default: `{issuer}/protocol/openid-connect/token` for a realm, otherwise discovered. */
  readonly tokenUrl?: string;
  readonly algorithms?: readonly (typeof signatureAlgorithms)[number][];
  /** Allowed difference between the provider's clock and ours. */
  readonly clockToleranceSeconds?: number;
  /** Maximum lifetime of a token, from its `iat`, or from now if it has none. */
  readonly maxLifetimeSeconds?: number;
  /**
   * How long verified tokens are used, from their second use. Keys are refreshed in the background after this time, and
   * before they are used after twice this time.
   */
  readonly keyCacheSeconds?: number;
  readonly observer?: KeySetObserver;
}

/** Verifies access tokens (JWS, RFC 7515; JWT, RFC 7519) with the identity provider's published keys (JWKS, RFC 7517). */
export const httpIdentity = ({
  issuer,
  audience,
  jwksUrl,
  tokenUrl,
  algorithms = identityDefaults.algorithms,
  clockToleranceSeconds = identityDefaults.clockToleranceSeconds,
  maxLifetimeSeconds = identityDefaults.maxLifetimeSeconds,
  keyCacheSeconds = identityDefaults.keyCacheSeconds,
  timeoutMs = httpDefaults.timeoutMs,
  clock = systemClock,
  maxResponseBytes = identityDefaults.maxResponseBytes,
  observer,
  ...http
}: IdentitySettings): Identity => {
  if (algorithms.length === 0 || !algorithms.every((algorithm) => signatureAlgorithms.includes(algorithm)))
    throw new TypeError(`Token algorithms must be a non-empty subset of ${signatureAlgorithms.join(', ')}.`);
  checkNumbers({ clockToleranceSeconds, maxLifetimeSeconds, keyCacheSeconds }, 0);
  const tokenEndpoint = knownTokenUrl({ issuer, tokenUrl });
  const transport = transportOf({ ...http, timeoutMs });
  const clientOf = (knownUrl: string | undefined) =>
    httpClient(
      'identity',
      { ...http, timeoutMs: requestTimeoutMs(timeoutMs, knownUrl), clock, maxResponseBytes },
      transport,
    );
  const keysClient = clientOf(jwksUrl);
  const tokenClient = clientOf(tokenEndpoint);

  const keys = keySet(
    () =>
      (jwksUrl === undefined ? discover(issuer, 'jwks_uri', keysClient) : okAsync(jwksUrl)).andThen((url) =>
        getJson(keysClient, url),
      ),
    clock,
    keyCacheSeconds * 1000,
    observer,
  );
  const verified = verifiedTokens(clock, keyCacheSeconds * 1000);
  const headers = knownHeaders({ issuer, audience, clockToleranceSeconds });
  const options = (now: number) => ({
    issuer,
    audience: [...audience],
    algorithms: [...algorithms],
    clockTolerance: clockToleranceSeconds,
    currentDate: new Date(now),
    requiredClaims: ['exp'],
  });

  const verify = async (token: string): Promise<Result<TokenClaims, Failure>> => {
    try {
      const now = clock.now();
      const { result, version } = await keys.use((find) => jwtVerify(token, find, options(now)));
      const { payload, protectedHeader, key } = result;
      const refusal = hasTokenType(protectedHeader)
        ? refusalOfTimes(payload, now / 1000, clockToleranceSeconds, maxLifetimeSeconds)
        : 'type';
      if (refusal) return err(refusedToken(refusal));
      if (version !== undefined) {
        verified.add(token, version, payload, payload.exp!);
        headers.learn(token, protectedHeader.alg, key, version);
      }
      return ok(payload);
    } catch (error) {
      if (error instanceof KeysUnavailable) return err(error.failure);
      // Any other error means that a published key is unusable.
      return err(
        error instanceof errors.JOSEError ? refusedToken(refusalOf(error)) : upstream('identity', 'malformed'),
      );
    }
  };

  /** The claims of a token that is cached or whose header is known. Needs no thread of the pool. */
  const verifyAtOnce = (token: string, keysVersion: number): TokenClaims | undefined => {
    const cached = verified.get(token, keysVersion);
    if (cached) return cached;
    const now = clock.now();
    const claims = headers.accept(token, keysVersion, now);
    if (!claims || refusalOfTimes(claims, now / 1000, clockToleranceSeconds, maxLifetimeSeconds)) return undefined;
    verified.add(token, keysVersion, claims, claims.exp!);
    return claims;
  };

  return {
    verify: (token) => {
      const keysVersion = keys.version();
      const claims = keysVersion === undefined ? undefined : verifyAtOnce(token, keysVersion);
      return claims ? okAsync(claims) : new ResultAsync(verify(token));
    },
    requestToken: (request) =>
      (tokenEndpoint !== undefined ? okAsync(tokenEndpoint) : discover(issuer, 'token_endpoint', tokenClient)).andThen(
        (url) => requestToken(tokenClient, url, request),
      ),
    warm: () => new ResultAsync(keys.warm()),
  };
};

/** Accepted `typ` values: a plain JWT, or an access token (RFC 9068, section 2.1). */
export const tokenTypes: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/at+jwt']);

export const hasTokenType = ({ typ }: { readonly typ?: unknown }): boolean =>
  typ === undefined || (typeof typ === 'string' && tokenTypes.has(typ.toLowerCase()));

/** Checks what jose does not: infinite times, an `iat` in the future, and the maximum lifetime. */
const refusalOfTimes = (
  { exp, iat, nbf }: JWTPayload,
  now: number,
  tolerance: number,
  maxLifetime: number,
): TokenRefusal | undefined => {
  if (![exp, iat, nbf].every((time) => time === undefined || Number.isFinite(time))) return 'malformed';
  if (iat !== undefined && iat > now + tolerance) return 'not-yet';
  return exp === undefined || exp - (iat ?? now) > maxLifetime ? 'lifetime' : undefined;
};

/** The refusals of jose's errors, by code. Every other error is about the form of the token. */
const refusalsByCode: Readonly<Record<string, TokenRefusal>> = {
  [errors.JOSEAlgNotAllowed.code]: 'algorithm',
  [errors.JWKSNoMatchingKey.code]: 'key',
  [errors.JWSSignatureVerificationFailed.code]: 'signature',
  [errors.JWTExpired.code]: 'expired',
};

/** The refusals of claims that jose checks. */
const refusalsByClaim: Readonly<Record<string, TokenRefusal>> = {
  iss: 'issuer',
  aud: 'audience',
  nbf: 'not-yet',
  exp: 'lifetime',
};

const refusalOf = (error: errors.JOSEError): TokenRefusal => {
  const isClaim = error instanceof errors.JWTClaimValidationFailed && error.reason !== 'invalid';
  return (isClaim ? refusalsByClaim[error.claim] : refusalsByCode[error.code]) ?? 'malformed';
};
