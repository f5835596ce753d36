import { Router } from '@koa/router';
import { type Failure, type SearchUseCases, toJson } from '@portico/core';
import type { Context } from 'koa';
import { callbackGate } from '../request/callback-gate.ts';
import { decodeText } from '../request/json-body.ts';
import { sendJson } from '../response/reply.ts';

/** Where sellers call back. Every well-formed callback is acknowledged, whether a search waits for it or not. */
export const onSearchRoutes = (
  use: Pick<SearchUseCases, 'receiveCallback' | 'refuseCallback'>,
  maxCallbackBytes: number,
  gate = callbackGate(),
) =>
  new Router({ sensitive: true, strict: true }).post(['/on_search', '/on_search/'], async (ctx) => {
    const answer = async (bytes: Buffer): Promise<void> => {
      const authorization = ctx.get('Authorization') || undefined;
      const received = await use.receiveCallback({ text: decodeText(bytes), bytes, authorization });
      received.match(
        () => sendJson(ctx, ack, 200),
        (failure) => refuse(ctx, failure),
      );
    };
    const came = await gate(ctx, maxCallbackBytes, answer);
    if (came === 'full') {
      // The rest of the body is not waited for.
      if (!ctx.req.complete) ctx.set('Connection', 'close');
      return refuse(ctx, { kind: 'overloaded', retryAfterSeconds: 1 });
    }
    if (came !== 'too-large') return undefined;
    use.refuseCallback();
    return nack(ctx, 413, 'too-large', `A callback may have at most ${maxCallbackBytes} bytes.`);
  });

const ack = toJson({ message: { ack: { status: 'ACK' } } });

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

const refuse = (ctx: Context, failure: Failure): void => {
  const [status, code, message] = nackOf[failure.kind];
  const where = failure.kind === 'invalid' ? failure.errors.map((error) => ` ${error.path} ${error.message}.`) : [];
  if (failure.kind === 'unexpected') ctx.app.emit('error', failure.cause, ctx);
  if (failure.kind === 'unauthenticated')
    ctx.set('WWW-Authenticate', 'Signature realm="portico",headers="(created) (expires) digest"');
  if (failure.kind === 'overloaded') ctx.set('Retry-After', String(failure.retryAfterSeconds));
  nack(ctx, status, code, message + where.join(''));
};
