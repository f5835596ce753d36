import type { Failure, InputError } from '@portico/core';
import type { Context } from 'koa';

const statusOf = {
  'invalid-request': 400,
  unauthenticated: 401,
  'not-found': 404,
  'preferences-not-set': 404,
  'no-such-route': 404,
  'method-not-allowed': 405,
  'too-large': 413,
  'unsupported-media-type': 415,
  internal: 500,
  'upstream-failure': 502,
  overloaded: 503,
} as const;

const titleOf = {
  'invalid-request': 'The request is not valid',
  unauthenticated: 'A valid access token is needed',
  'not-found': 'Not found',
  'preferences-not-set': 'Preferences were never set',
  'no-such-route': 'No such route',
  'method-not-allowed': 'Method not allowed',
  'too-large': 'The request is too large',
  'unsupported-media-type': 'Unsupported media type',
  internal: 'Internal error',
  'upstream-failure': 'A downstream service failed',
  overloaded: 'Overloaded',
} as const satisfies Record<keyof typeof statusOf, string>;

/** What went wrong, as the contract's section 3 names it; `code` decides status, type and title. */
export interface Problem {
  readonly code: keyof typeof statusOf;
  readonly detail: string;
  readonly service?: string;
  readonly reason?: string;
  readonly errors?: readonly InputError[];
  readonly headers?: Readonly<Record<string, string>>;
}

const challenge = 'Bearer realm="portico"';

const detailOf = {
  status: 'answered with an error',
  unreachable: 'could not be reached',
  timeout: 'did not answer in time',
  malformed: 'gave an answer that cannot be passed on',
  'too-large': 'gave an answer that is too large',
  'circuit-open': 'has been failing and is given time to recover',
} as const;

const problemOf: { readonly [Kind in Failure['kind']]: (failure: Extract<Failure, { kind: Kind }>) => Problem } = {
  invalid: ({ detail, errors }) => ({ code: 'invalid-request', detail, errors }),
  unauthenticated: ({ reason }) => ({
    code: 'unauthenticated',
    detail: reason === 'missing' ? 'The request carries no bearer token.' : 'The access token is not valid.',
    headers: { 'WWW-Authenticate': reason === 'missing' ? challenge : `${challenge}, error="invalid_token"` },
  }),
  'not-found': ({ service, code }) => ({
    code,
    service,
    detail: code === 'preferences-not-set' ? 'The member has never set preferences.' : 'There is nothing here.',
  }),
  upstream: ({ service, reason }) => ({
    code: 'upstream-failure',
    service,
    reason,
    detail: `The ${service} service ${detailOf[reason]}.`,
  }),
  overloaded: ({ retryAfterSeconds }) => ({
    code: 'overloaded',
    detail: 'Try again later.',
    headers: { 'Retry-After': String(retryAfterSeconds) },
  }),
  unexpected: () => internal,
};

export const internal: Problem = { code: 'internal', detail: 'Something went wrong on our side.' };

/** Answers with problem details (RFC 9457). */
export const sendProblem = (ctx: Context, { code, detail, service, reason, errors, headers = {} }: Problem): void => {
  const status = statusOf[code];
  ctx.status = status;
  ctx.set(headers);
  ctx.body = JSON.stringify({
    type: `urn:portico:problem:${code}`,
    title: titleOf[code],
    status,
    detail,
    code,
    requestId: ctx.state['requestId'] as string,
    service,
    reason,
    errors: errors?.length ? errors : undefined,
  });
  ctx.set('Content-Type', 'application/problem+json');
};

/** Answers with the problem that a failure is; what nobody expected also reaches the app's `error` event. */
export const sendFailure = (ctx: Context, failure: Failure): void => {
  if (failure.kind === 'unexpected') ctx.app.emit('error', failure.cause, ctx);
  const describe = problemOf[failure.kind] as (failure: Failure) => Problem;
  sendProblem(ctx, describe(failure));
};
