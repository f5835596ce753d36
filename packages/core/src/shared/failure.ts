/** The external systems that Portico calls. `sessions` is the store of browser sessions. */
export const services = [
  'identity',
  'eligibility',
  'claims',
  'documents',
  'policy',
  'notifications',
  'consent',
  'registry',
  'search',
  'sessions',
] as const;

/** An external system that Portico knows by name. */
export type KnownService = (typeof services)[number];

/** The name of an external system: a known one, or a service of your own (contract, section 8). */
export type Service = KnownService | (string & {});

/** Whether a value can be the name of a service: `^[a-z][a-z0-9-]{0,31}$`. */
export const isServiceName = (value: unknown): value is Service =>
  typeof value === 'string' && /^[a-z][a-z0-9-]{0,31}$/.test(value);

export const isKnownService = (name: Service): name is KnownService => (services as readonly string[]).includes(name);

/** Why a call to a downstream service failed (contract, section 3). */
export const upstreamReasons = ['status', 'unreachable', 'timeout', 'malformed', 'too-large', 'circuit-open'] as const;

export type UpstreamReason = (typeof upstreamReasons)[number];

/**
 * Why authentication failed: no token, an invalid token, an invalid DPoP proof, or a refusal by the token endpoint. It
 * refuses the user's credentials (`invalid_grant`) or the client itself (`invalid_client`; RFC 6749, section 5.2).
 */
export type UnauthenticatedReason = 'missing' | 'invalid' | 'invalid-proof' | 'invalid-grant' | 'invalid-client';

/**
 * Why an access token was refused, for logs and metrics of the operator. Never sent to the client. `expired`, `not-yet`,
 * `lifetime`: `exp`, `nbf` or `iat`, and the maximum lifetime. `key`: no published key has its `kid`. `type`: `typ`.
 * `locator`: no valid locator of a member. `malformed`: not a JWS, or a claim of the wrong type. `exchange`: the
 * identity provider did not exchange it for a token of a service. `program`: the token of a program. `client`:
 * `client_id` or `azp` is not allowed. `scheme`: a DPoP-bound token as a plain bearer token, or the reverse. `proof`: the
 * DPoP proof.
 */
export const tokenRefusals = [
  'expired',
  'not-yet',
  'lifetime',
  'issuer',
  'audience',
  'algorithm',
  'key',
  'signature',
  'type',
  'locator',
  'malformed',
  'exchange',
  'program',
  'client',
  'scheme',
  'proof',
] as const;

export type TokenRefusal = (typeof tokenRefusals)[number];

/** One validation error. `path` is a JSON Pointer (RFC 6901) into the input. */
export interface InputError {
  readonly path: string;
  readonly message: string;
}

/**
 * Every failure of a use case. The union is closed: each driving adapter maps it with one table, one row per `kind`.
 * No failure contains a downstream response, a URL or a token, so it is safe to show.
 */
export type Failure =
  | { readonly kind: 'invalid'; readonly detail: string; readonly errors: readonly InputError[] }
  | { readonly kind: 'unauthenticated'; readonly reason: UnauthenticatedReason; readonly refusal?: TokenRefusal }
  /** The token is valid but lacks one of the scopes in `scope`, which are separated by spaces (RFC 6750, section 3.1). */
  | { readonly kind: 'insufficient-scope'; readonly scope: string }
  | { readonly kind: 'not-found'; readonly service: Service; readonly code: 'not-found' | 'preferences-not-set' }
  /** The resource no longer matches the entity tag in `ifMatch` (RFC 9110, section 13.1.1). Nothing was written. */
  | { readonly kind: 'precondition-failed'; readonly service: Service }
  /** `status`: the HTTP status of the service, if that is the reason. */
  | {
      readonly kind: 'upstream';
      readonly service: Service;
      readonly reason: UpstreamReason;
      readonly status?: number;
    }
  | { readonly kind: 'overloaded'; readonly retryAfterSeconds: number }
  | { readonly kind: 'unexpected'; readonly cause: unknown };

export const invalid = (detail: string, ...errors: readonly InputError[]): Failure => ({
  kind: 'invalid',
  detail,
  errors,
});

export const unauthenticated = (reason: UnauthenticatedReason): Failure => ({ kind: 'unauthenticated', reason });

/** The failure of an access token that is not valid. */
export const refusedToken = (refusal: TokenRefusal): Failure => ({
  kind: 'unauthenticated',
  reason: 'invalid',
  refusal,
});

/** The failure of a request whose token is valid, but whose DPoP proof is not (RFC 9449, section 4.3). */
export const invalidProof: Failure = { kind: 'unauthenticated', reason: 'invalid-proof', refusal: 'proof' };

export const insufficientScope = (scope: string): Failure => ({ kind: 'insufficient-scope', scope });

export const notFound = (service: Service): Failure => ({ kind: 'not-found', service, code: 'not-found' });

export const preconditionFailed = (service: Service): Failure => ({ kind: 'precondition-failed', service });

export const upstream = (service: Service, reason: UpstreamReason): Failure => ({ kind: 'upstream', service, reason });

export const overloaded = (retryAfterSeconds = 1): Failure => ({ kind: 'overloaded', retryAfterSeconds });

/** The failure of a service that responded with this HTTP status. */
export const upstreamStatus = (service: Service, status: number): Failure => ({
  kind: 'upstream',
  service,
  reason: 'status',
  status,
});

/** Escapes a name as one reference token of a JSON Pointer (RFC 6901, section 3). */
export const pointerToken = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** The first twenty of these names, each shortened to 64 characters, so that a failure stays short. */
export const listedNames = (names: readonly string[]): readonly string[] =>
  [...new Set(names.map((name) => name.slice(0, 64)))].slice(0, 20);
