import type { Failure } from '@portico/core';
import type { Context } from 'koa';

/** Refuses a callback in the words that sellers understand. */
export const nack = (ctx: Context, status: number, code: string, message: string): void => {
  ctx.status = status;
  ctx.body = { message: { ack: { status: 'NACK' } }, error: { code, message } };
};

/** The seller may try again where the fault is not its own. */
const nackOf = {
  invalid: [400, 'invalid-request', 'This is not an on_search callback.'],
  unauthenticated: [401, 'unauthenticated', 'The signature is missing or not valid.'],
  'not-found': [404, 'not-found', 'There is nothing here.'],
  'precondition-failed': [500, 'internal', 'Something went wrong on our side.'],
  upstream: [503, 'upstream-failure', 'The callback cannot be taken now; send it again.'],
  overloaded: [503, 'overloaded', 'The callback cannot be taken now; send it again.'],
  unexpected: [500, 'internal', 'Something went wrong on our side.'],
} as const satisfies Record<Failure['kind'], readonly [number, string, string]>;

/** Refuses a callback for this failure. */
export const sendNack = (ctx: Context, failure: Failure): void => {
  const [status, code, message] = nackOf[failure.kind];
  const where = failure.kind === 'invalid' ? failure.errors.map((error) => ` ${error.path} ${error.message}.`) : [];
  if (failure.kind === 'unexpected') ctx.app.emit('error', failure.cause, ctx);
  if (failure.kind === 'unauthenticated')
    ctx.set('WWW-Authenticate', 'Signature realm="portico",headers="(created) (expires) digest"');
  if (failure.kind === 'overloaded') ctx.set('Retry-After', String(failure.retryAfterSeconds));
  nack(ctx, status, code, message + where.join(''));
};
