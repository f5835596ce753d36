import {
  type Failure,
  type InputError,
  insufficientScope,
  invalid,
  isObject,
  isServiceName,
  type JsonObject,
  notFound,
  preconditionFailed,
  type Problem,
  problemUri,
  unauthenticated,
  upstream,
  type UpstreamReason,
  upstreamReasons,
} from '@portico/core';

/**
 * Every way a call can fail, as data: the core's failures (`unexpected` has the server's request id as its cause), and
 * those that only a client can see. No failure contains a token, a URL or a body.
 */
export type ClientFailure =
  | Failure
  /** Too many requests (429). Retry after this number of whole seconds. */
  | { readonly kind: 'rate-limited'; readonly retryAfterSeconds: number }
  /** The server rejected the request with a code that no use case has: `too-large`, `no-such-route`, … */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly detail: string }
  /** No response: connection refused or reset, unknown host, invalid certificate, offline, or blocked by CORS. */
  | { readonly kind: 'unreachable' }
  /** The connection closed before the response was complete. */
  | { readonly kind: 'interrupted' }
  /** The response is larger than the client's limit. The rest was not read. */
  | { readonly kind: 'response-too-large'; readonly limitBytes: number }
  /** The deadline passed. The server may still have processed the request. */
  | { readonly kind: 'timed-out' }
  /** Cancelled by the caller's signal. */
  | { readonly kind: 'cancelled' }
  /** Not a Portico response: from a proxy or another server, or a redirect. Status 0: hidden from the page by CORS. */
  | { readonly kind: 'unexpected-response'; readonly status: number };

export const unexpectedResponseFailure = ({ status }: Pick<Response, 'status'>): ClientFailure => ({
  kind: 'unexpected-response',
  status,
});

/** Whether the credentials were refused, by Portico or by a proxy in front of it. */
export const isUnauthenticated = (failure: ClientFailure): boolean =>
  failure.kind === 'unauthenticated' || (failure.kind === 'unexpected-response' && failure.status === 401);

/** Reads a failure from problem details (RFC 9457; contract, section 3) and their headers. */
export const failureOf = (
  problem: unknown,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
): ClientFailure => {
  if (!isObject(problem)) return unexpectedResponseFailure({ status });
  const { type, code, detail } = problem;
  if (typeof code !== 'string' || typeof detail !== 'string' || type !== problemUri(code))
    return unexpectedResponseFailure({ status });
  const reader = Object.hasOwn(readers, code) ? readers[code as keyof typeof readers] : undefined;
  return reader?.({ ...problem, detail }, headers) ?? { kind: 'refused', status, code, detail };
};

type FailureReader = (problem: JsonObject & { readonly detail: string }, headers: Headers) => ClientFailure | undefined;

/** The inverse of the core's problem table. A reader returns undefined for values that only a newer server knows. */
const readers: Readonly<Record<Problem['code'] | 'rate-limited', FailureReader>> = {
  'invalid-request': ({ detail, errors }) => invalid(detail, ...inputErrorsIn(errors)),
  unauthenticated: (_, headers) => {
    const challenge = headers.get('WWW-Authenticate') ?? '';
    if (challenge.includes('error="invalid_dpop_proof"')) return unauthenticated('invalid-proof');
    return unauthenticated(challenge.includes('error=') ? 'invalid' : 'missing');
  },
  'insufficient-scope': (_, headers) => {
    const scope = /\bscope="([^"]*)"/.exec(headers.get('WWW-Authenticate') ?? '')?.[1];
    return scope === undefined ? undefined : insufficientScope(scope);
  },
  'not-found': ({ service }) => (isServiceName(service) ? notFound(service) : undefined),
  'preferences-not-set': ({ service }) =>
    isServiceName(service) ? { kind: 'not-found', service, code: 'preferences-not-set' } : undefined,
  'precondition-failed': ({ service }) => (isServiceName(service) ? preconditionFailed(service) : undefined),
  'upstream-failure': ({ service, reason }) =>
    isServiceName(service) && isReason(reason) ? upstream(service, reason) : undefined,
  overloaded: (_, headers) => ({ kind: 'overloaded', retryAfterSeconds: retryAfterSecondsIn(headers) }),
  internal: ({ requestId }) => ({ kind: 'unexpected', cause: { requestId } }),
  'rate-limited': (_, headers) => ({ kind: 'rate-limited', retryAfterSeconds: retryAfterSecondsIn(headers) }),
};

const isReason = (value: unknown): value is UpstreamReason => upstreamReasons.includes(value as UpstreamReason);

const inputErrorsIn = (errors: unknown): readonly InputError[] =>
  Array.isArray(errors)
    ? errors.filter(
        (error): error is InputError =>
          isObject(error) && typeof error['path'] === 'string' && typeof error['message'] === 'string',
      )
    : [];

/** The delay in seconds (RFC 9110, section 10.2.3). Portico never sends a date; any other value counts as 1. */
const retryAfterSecondsIn = (headers: Headers): number => {
  const text = headers.get('Retry-After') ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 1;
};
