import type { Failure, InputError, Service, UpstreamReason } from './failure.ts';

/** A failure as every driving adapter reports it: the code of the contract (section 3) and a sentence. Safe to show. */
export interface Problem {
  readonly code:
    | 'invalid-request'
    | 'unauthenticated'
    | 'insufficient-scope'
    | 'not-found'
    | 'preferences-not-set'
    | 'precondition-failed'
    | 'upstream-failure'
    | 'overloaded'
    | 'internal';
  readonly detail: string;
  readonly service?: Service;
  readonly reason?: UpstreamReason;
  readonly errors?: readonly InputError[];
}

/** The HTTP status and the title of each error code (contract, section 3). */
export const problemTypes = {
  'invalid-request': { status: 400, title: 'The request is not valid' },
  unauthenticated: { status: 401, title: 'A valid access token is required' },
  'insufficient-scope': { status: 403, title: 'The access token lacks a scope' },
  'cross-site': { status: 403, title: 'The request may come from another site' },
  'not-found': { status: 404, title: 'Not found' },
  'preferences-not-set': { status: 404, title: 'Preferences were never set' },
  'no-such-route': { status: 404, title: 'No such route' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'request-timeout': { status: 408, title: 'The request took too long' },
  'precondition-failed': { status: 412, title: 'Precondition failed' },
  'too-large': { status: 413, title: 'The request is too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  'header-too-large': { status: 431, title: 'The header is too large' },
  internal: { status: 500, title: 'Internal error' },
  'upstream-failure': { status: 502, title: 'A downstream service failed' },
  overloaded: { status: 503, title: 'Overloaded' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly title: string }>>;

export type ProblemCode = keyof typeof problemTypes;

/** A problem that is not always a failure of a use case, such as a route that does not exist. */
export type AnyProblem = Omit<Problem, 'code'> & { readonly code: ProblemCode };

/** The `type` of problem details (RFC 9457, section 3.1.1). */
export const problemUri = (code: string): string => `urn:portico:problem:${code}`;

/** Serializes problem details (RFC 9457). */
export const problemText = (
  { code, detail, service, reason, errors }: AnyProblem,
  requestId: string,
): { readonly status: number; readonly text: string } => {
  const { status, title } = problemTypes[code];
  const type = problemUri(code);
  const problem = {
    type,
    title,
    status,
    detail,
    code,
    requestId,
    service,
    reason,
    errors: errors?.length ? errors : undefined,
  };
  return { status, text: JSON.stringify(problem) };
};

/** Describes a failure without private data. */
export const problemOf = (failure: Failure): Problem =>
  (problems[failure.kind] as (failure: Failure) => Problem)(failure);

const problems: { readonly [Kind in Failure['kind']]: (failure: Extract<Failure, { kind: Kind }>) => Problem } = {
  invalid: ({ detail, errors }) => ({ code: 'invalid-request', detail, errors }),
  unauthenticated: ({ reason }) => ({ code: 'unauthenticated', detail: unauthenticatedDetails[reason] }),
  'insufficient-scope': ({ scope }) => ({
    code: 'insufficient-scope',
    detail: `The access token does not have the required scope: ${scope}.`,
  }),
  'not-found': ({ service, code }) => ({
    code,
    service,
    detail:
      code === 'preferences-not-set'
        ? 'The member has never set preferences.'
        : `The ${service} service found no such resource.`,
  }),
  'precondition-failed': ({ service }) => ({
    code: 'precondition-failed',
    service,
    detail: 'The data has changed since it was read. Nothing was saved. Read it again and retry.',
  }),
  upstream: ({ service, reason }) => ({
    code: 'upstream-failure',
    service,
    reason,
    detail: `The ${service} service ${upstreamDetails[reason]}.`,
  }),
  overloaded: () => ({ code: 'overloaded', detail: 'Try again later.' }),
  unexpected: () => ({ code: 'internal', detail: 'An internal error occurred.' }),
};

const unauthenticatedDetails = {
  missing: 'There is no access token.',
  invalid: 'The access token is not valid.',
  'invalid-proof': 'The DPoP proof is not valid.',
  'invalid-grant': 'The identity provider refused the credentials.',
  'invalid-client': 'The identity provider refused the client.',
} as const satisfies Record<Extract<Failure, { kind: 'unauthenticated' }>['reason'], string>;

const upstreamDetails = {
  status: 'returned an error',
  unreachable: 'could not be reached',
  timeout: 'did not respond in time',
  malformed: 'returned a response that cannot be relayed',
  'too-large': 'returned a response that is too large',
  'circuit-open': 'has failed repeatedly; requests to it are paused',
} as const satisfies Record<UpstreamReason, string>;
