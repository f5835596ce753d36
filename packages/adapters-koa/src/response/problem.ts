import { type AnyProblem, type Failure, problemOf, problemText } from '@portico/core';
import type { Context } from 'koa';
import { type Challenge, challenges } from './challenge.ts';
import { recordProblem, type ReportedProblem } from '../request/request-report.ts';

/** A problem (contract, section 3), with additional response headers. */
export type Problem = AnyProblem & { readonly headers?: Headers };

/** Additional response headers of each kind of failure. */
const headersOf: {
  readonly [Kind in Failure['kind']]?: (failure: Extract<Failure, { kind: Kind }>, challenge?: Challenge) => Headers;
} = {
  unauthenticated: (failure, challenge) => ({ 'WWW-Authenticate': challenges(failure, challenge) }),
  'insufficient-scope': (failure, challenge) => ({ 'WWW-Authenticate': challenges(failure, challenge) }),
  overloaded: ({ retryAfterSeconds }) => ({ 'Retry-After': String(retryAfterSeconds) }),
};

type Headers = Readonly<Record<string, string | string[]>>;

export const internal: Problem = problemOf({ kind: 'unexpected', cause: undefined });

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
  const headers = headersOf[failure.kind] as ((failure: Failure, challenge?: Challenge) => Headers) | undefined;
  const challenge = ctx.state['challenge'] as Challenge | undefined;
  sendProblem(ctx, { ...problemOf(failure), headers: headers?.(failure, challenge) ?? {} }, unsentIn(failure));
};

const unsentIn = (failure: Failure): Pick<ReportedProblem, 'upstreamStatus' | 'refusal'> => {
  if (failure.kind === 'upstream') return { upstreamStatus: failure.status };
  return failure.kind === 'unauthenticated' ? { refusal: failure.refusal } : {};
};
