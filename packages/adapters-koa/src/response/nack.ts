import type { Failure, ProblemCode } from '@portico/core';
import type { Context } from 'koa';
import { recordProblem } from '../request/request-report.ts';
import { internal } from './problem.ts';
import { sendValue } from './reply.ts';

/** The codes of a NACK: those of problem details, and that of a search with as many callbacks as it may collect. */
export const nackCodes = [
  'invalid-request',
  'unauthenticated',
  'too-large',
  'unsupported-media-type',
  'rate-limited',
  'limit-reached',
  'internal',
  'upstream-failure',
  'overloaded',
] as const satisfies readonly (ProblemCode | 'limit-reached')[];

type NackCode = (typeof nackCodes)[number];

/** Refuses a callback with a Beckn NACK. */
export const nack = (ctx: Context, status: number, code: NackCode, message: string): void => {
  sendValue(ctx, { message: { ack: { status: 'NACK' } }, error: { code, message } }, status);
  recordProblem(ctx, { code });
};

/** Status, code and message per kind of failure. A 5xx status means that the seller may retry. */
const nackOf = {
  invalid: [400, 'invalid-request', 'Not a valid search callback.'],
  unauthenticated: [401, 'unauthenticated', 'The signature is missing or not valid.'],
  'insufficient-scope': [500, 'internal', internal.detail],
  'not-found': [500, 'internal', internal.detail],
  'precondition-failed': [500, 'internal', internal.detail],
  upstream: [503, 'upstream-failure', 'The callback cannot be accepted now. Send it again later.'],
  overloaded: [503, 'overloaded', 'The callback cannot be accepted now. Send it again later.'],
  unexpected: [500, 'internal', internal.detail],
} as const satisfies Record<Failure['kind'], readonly [number, NackCode, string]>;

/** Refuses a callback for this failure. */
export const sendNack = (ctx: Context, failure: Failure): void => {
  const [status, code, message] = nackOf[failure.kind];
  const reasons = failure.kind === 'invalid' ? failure.errors.map((error) => ` ${error.path} ${error.message}.`) : [];
  if (failure.kind === 'unexpected') ctx.app.emit('error', failure.cause, ctx);
  if (failure.kind === 'unauthenticated')
    ctx.set('WWW-Authenticate', 'Signature realm="portico",headers="(created) (expires) digest"');
  if (failure.kind === 'overloaded') ctx.set('Retry-After', String(failure.retryAfterSeconds));
  nack(ctx, status, code, message + reasons.join(''));
  if (failure.kind === 'upstream') recordProblem(ctx, { code, service: failure.service, reason: failure.reason });
};
