import type { RequestListener } from 'node:http';
import type { Router } from '@koa/router';
import { type Authenticate, type Failure, type Json, type Member, problemOf, problemTypes } from '@portico/core';
import Koa, { type Context } from 'koa';
import type { Result, ResultAsync } from 'neverthrow';

export interface ServiceState {
  readonly member: Member;
}

const statusOf = (failure: Failure): number => problemTypes[problemOf(failure).code].status;

/** A service that verifies the member's token like a real one, and refuses access to other members' data. */
export const service = (authenticate: Authenticate, routes: Router<ServiceState>): RequestListener => {
  const app = new Koa();
  app.on('error', () => {}); // only broken connections, which faults cause on purpose
  app.use(async (ctx, next) => {
    const verified = await authenticate(/^Bearer (.+)$/.exec(ctx.get('Authorization'))?.[1]);
    if (verified.isErr()) return refuse(ctx, statusOf(verified.error));
    ctx.state['member'] = verified.value;
    return next();
  });
  routes.param('partyLocator', (locator, ctx, next) =>
    locator === ctx.state.member.locator ? next() : refuse(ctx, 403),
  );
  app.use(routes.routes() as Koa.Middleware);
  return app.callback();
};

export const respond = (ctx: Context, result: Result<Json, Failure>, status = 200): void =>
  result.match(
    ({ text, etag }) => {
      ctx.status = status;
      if (etag !== undefined) ctx.set('ETag', etag);
      ctx.body = text;
      ctx.type = 'application/json';
    },
    (failure) => refuse(ctx, statusOf(failure)),
  );

export const refuse = (ctx: Context, status: number): void => {
  ctx.status = status;
  ctx.body = { error: `the service responded with ${status}` };
};

export const query = (ctx: Context) => ctx.querystring;

/** Maximum size of a body; a real service has such a limit, too. */
const maxBytes = 1_048_576;

/** The JSON body of a request, or the status that refuses it. An empty body counts as `whenEmpty`. */
export const body = async ({ req }: Context, whenEmpty = ''): Promise<Json | 400 | 413> => {
  let text = '';
  // Read to the end, so that the client receives the status and not a reset connection.
  for await (const chunk of req.setEncoding('utf8') as AsyncIterable<string>)
    if (text.length <= maxBytes) text += chunk;
  if (text.length > maxBytes) return 413;
  try {
    return { text, value: JSON.parse(text || whenEmpty) as unknown };
  } catch {
    return 400;
  }
};

/** Responds to a write with the result of a use case for its body and its `If-Match`. */
export const write = async (
  ctx: Context,
  use: (body: Json, ifMatch: string | undefined) => ResultAsync<Json, Failure>,
  { status = 200, types = ['application/json'] }: { readonly status?: number; readonly types?: readonly string[] } = {},
): Promise<void> => {
  if (!types.includes(ctx.request.type)) return refuse(ctx, 415);
  const received = await body(ctx);
  if (typeof received === 'number') return refuse(ctx, received);
  respond(ctx, await use(received, ctx.get('If-Match') || undefined), status);
};
