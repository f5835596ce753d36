import { type Failure, type InputError, problemOf } from '@portico/core';
import type { Context } from 'koa';
import { challenges } from './challenge.ts';
import { recordProblem, type ReportedProblem } from '../middleware/request-report.ts';

export const statusOf = {
  'invalid-request': 400,
  unauthenticated: 401,
  'insufficient-scope': 403,
  'cross-site': 403,
  'not-found': 404,
  'preferences-not-set': 404,
  'no-such-route': 404,
  'method-not-allowed': 405,
  'request-timeout': 408,
  'precondition-failed': 412,
  'too-large': 413,
  'unsupported-media-type': 415,
  'rate-limited': 429,
  'header-too-large': 431,
  internal: 500,
  'upstream-failure': 502,
  overloaded: 503,
} as const;

export const titleOf = {
  'invalid-request': 'The request is not valid',
  unauthenticated: 'A valid access token is required',
  'insufficient-scope': 'The access token lacks a scope',
  'cross-site': 'The request may come from another site',
  'not-found': 'Not found',
  'preferences-not-set': 'Preferences were never set',
  'no-such-route': 'No such route',
  'method-not-allowed': 'Method not allowed',
  'request-timeout': 'The request took too long',
  'precondition-failed': 'Precondition failed',
  'too-large': 'The request is too large',
  'unsupported-media-type': 'Unsupported media type',
  'rate-limited': 'Too many requests',
  'header-too-large': 'The header is too large',
  internal: 'Internal error',
  'upstream-failure': 'A downstream service failed',
  overloaded: 'Overloaded',
} as const satisfies Record<keyof typeof statusOf, string>;

export type Code = keyof typeof statusOf;

/** A problem (contract, section 3). `code` determines status, type and title. */
export interface Problem {
  readonly code: Code;
  readonly detail: string;
  readonly service?: string;
  readonly reason?: string;
  readonly errors?: readonly InputError[];
  readonly headers?: Headers;
}

/** Additional response headers of each kind of failure. */
const headersOf: { readonly [Kind in Failure['kind']]?: (failure: Extract<Failure, { kind: Kind }>) => Headers } = {
  unauthenticated: (failure) => ({ 'WWW-Authenticate': challenges(failure).join() }),
  'insufficient-scope': (failure) => ({ 'WWW-Authenticate': challenges(failure).join() }),
  overloaded: ({ retryAfterSeconds }) => ({ 'Retry-After': String(retryAfterSeconds) }),
};

type Headers = Readonly<Record<string, string>>;

export const internal: Problem = problemOf({ kind: 'unexpected', cause: undefined });

/** Serializes problem details (RFC 9457). */
export const problemText = (
  { code, detail, service, reason, errors }: Problem,
  requestId: string,
): { readonly status: number; readonly text: string } => {
  const status = statusOf[code];
  const problem = {
    type: `urn:portico:problem:${code}`,
    title: titleOf[code],
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

/** `unsent` is reported to the operator only. */
export const sendProblem = (
  ctx: Context,
  problem: Problem,
  unsent: Pick<ReportedProblem, 'upstreamStatus' | 'refusal'> = {},
): void => {
  const { status, text } = problemText(problem, ctx.state['requestId'] as string);
  ctx.status = status;
  ctx.set(problem.headers ?? {});
  ctx.body = text;
  ctx.set('Content-Type', 'application/problem+json');
  const { code, service, reason } = problem;
  recordProblem(ctx, { code, service, reason, ...unsent });
};

/** Sends problem details for a failure. An unexpected failure is also emitted as the app's `error` event. */
export const sendFailure = (ctx: Context, failure: Failure): void => {
  if (failure.kind === 'unexpected') ctx.app.emit('error', failure.cause, ctx);
  const headers = headersOf[failure.kind] as ((failure: Failure) => Headers) | undefined;
  sendProblem(ctx, { ...problemOf(failure), headers: headers?.(failure) ?? {} }, unsentIn(failure));
};

const unsentIn = (failure: Failure): Pick<ReportedProblem, 'upstreamStatus' | 'refusal'> => {
  if (failure.kind === 'upstream') return { upstreamStatus: failure.status };
  return failure.kind === 'unauthenticated' ? { refusal: failure.refusal } : {};
};
