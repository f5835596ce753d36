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
