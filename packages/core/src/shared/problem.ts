import type { Failure, InputError, Service, UpstreamReason } from './failure.ts';

/** A failure as every edge tells it: the contract's code (section 3) and a sentence. Nothing in it is private. */
export interface Problem {
  readonly code:
    | 'invalid-request'
    | 'unauthenticated'
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
  'not-found': ({ service, code }) => ({
    code,
    service,
    detail:
      code === 'preferences-not-set'
        ? 'The member has never set preferences.'
        : `The ${service} service found nothing.`,
  }),
  'precondition-failed': ({ service }) => ({
    code: 'precondition-failed',
    service,
    detail: 'It was changed in the meantime. Nothing was saved.',
  }),
  upstream: ({ service, reason }) => ({
    code: 'upstream-failure',
    service,
    reason,
    detail: `The ${service} service ${upstreamDetails[reason]}.`,
  }),
  overloaded: () => ({ code: 'overloaded', detail: 'Try again later.' }),
  unexpected: () => ({ code: 'internal', detail: 'Something went wrong on our side.' }),
};

const unauthenticatedDetails = {
  missing: 'There is no access token.',
  invalid: 'The access token is not valid.',
  'invalid-grant': 'The identity provider refused the credentials.',
  'invalid-client': 'The identity provider refused the client.',
} as const satisfies Record<Extract<Failure, { kind: 'unauthenticated' }>['reason'], string>;

const upstreamDetails = {
  status: 'answered with an error',
  unreachable: 'could not be reached',
  timeout: 'did not answer in time',
  malformed: 'gave an answer that cannot be passed on',
  'too-large': 'gave an answer that is too large',
  'circuit-open': 'has been failing and is given time to recover',
} as const satisfies Record<UpstreamReason, string>;
