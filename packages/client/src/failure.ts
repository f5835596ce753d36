import {
  type Failure,
  type InputError,
  invalid,
  notFound,
  preconditionFailed,
  type Problem,
  type Service,
  services,
  unauthenticated,
  upstream,
  type UpstreamReason,
  upstreamReasons,
} from '@portico/core';
import { isObject } from './json.ts';

/**
 * Everything that can go wrong with a call, as data: what went wrong behind the server, as the core says it (`unexpected`
 * has the server's request id as its cause), and what only a client can meet. No failure carries a token, a URL or a body.
 */
export type ClientFailure =
  | Failure
  /** Too many requests (429): whole seconds until the next one is worth while. */
  | { readonly kind: 'rate-limited'; readonly retryAfterSeconds: number }
  /** The server took the request itself amiss, with a code that is no use case's: `too-large`, `no-such-route`, … */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly detail: string }
  /** Nobody answered: refused, reset, no such name, bad certificate, offline, or not allowed to a page (CORS). */
  | { readonly kind: 'unreachable' }
  /** The answer began and did not come to its end. */
  | { readonly kind: 'interrupted' }
  /** The deadline passed first. Whether the server did what it was asked is not known. */
  | { readonly kind: 'timed-out' }
  /** The caller's signal ended it. */
  | { readonly kind: 'given-up' }
  /** An answer that no Portico gives: a proxy's, a redirect, another program's. Status 0: a page may not see it. */
  | { readonly kind: 'unexpected-response'; readonly status: number };

export const notPortico = ({ status }: Pick<Response, 'status'>): ClientFailure => ({
  kind: 'unexpected-response',
  status,
});

type JsonObject = Readonly<Record<string, unknown>>;

/** What a server said went wrong (RFC 9457; contract, section 3), out of its problem details and their headers. */
export const failureOf = (
  problem: unknown,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
): ClientFailure => {
  if (!isObject(problem)) return notPortico({ status });
  const { type, code, detail } = problem;
  if (typeof code !== 'string' || typeof detail !== 'string' || type !== `urn:portico:problem:${code}`)
    return notPortico({ status });
  const read = Object.hasOwn(failures, code) ? failures[code as keyof typeof failures] : undefined;
  return read?.({ ...problem, detail }, headers) ?? { kind: 'refused', status, code, detail };
};

type Read = (problem: JsonObject & { readonly detail: string }, headers: Headers) => ClientFailure | undefined;

/** The core's table of problems read backwards. Nothing, where a newer server says what we do not know. */
const failures: Readonly<Record<Problem['code'] | 'rate-limited', Read>> = {
  'invalid-request': ({ detail, errors }) => invalid(detail, ...inputErrorsIn(errors)),
  unauthenticated: (_, headers) =>
    unauthenticated(headers.get('WWW-Authenticate')?.includes('error=') ? 'invalid' : 'missing'),
  'not-found': ({ service }) => (isService(service) ? notFound(service) : undefined),
  'preferences-not-set': ({ service }) =>
    isService(service) ? { kind: 'not-found', service, code: 'preferences-not-set' } : undefined,
  'precondition-failed': ({ service }) => (isService(service) ? preconditionFailed(service) : undefined),
  'upstream-failure': ({ service, reason }) =>
    isService(service) && isReason(reason) ? upstream(service, reason) : undefined,
  overloaded: (_, headers) => ({ kind: 'overloaded', retryAfterSeconds: retryAfterSecondsIn(headers) }),
  internal: ({ requestId }) => ({ kind: 'unexpected', cause: { requestId } }),
  'rate-limited': (_, headers) => ({ kind: 'rate-limited', retryAfterSeconds: retryAfterSecondsIn(headers) }),
};

const isService = (value: unknown): value is Service => services.includes(value as Service);

const isReason = (value: unknown): value is UpstreamReason => upstreamReasons.includes(value as UpstreamReason);

const inputErrorsIn = (errors: unknown): readonly InputError[] =>
  Array.isArray(errors)
    ? errors.filter(
        (error): error is InputError =>
          isObject(error) && typeof error['path'] === 'string' && typeof error['message'] === 'string',
      )
    : [];

/** Delay in seconds (RFC 9110, section 10.2.3), which is what Portico sends; a second where somebody else's date stands. */
const retryAfterSecondsIn = (headers: Headers): number => {
  const text = headers.get('Retry-After') ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 1;
};
