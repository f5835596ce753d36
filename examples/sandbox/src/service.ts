import type { RequestListener } from 'node:http';
import type { Router } from '@koa/router';
import type { Authenticate, Failure, Json, Member } from '@portico/core';
import Koa, { type Context } from 'koa';
import type { Result } from 'neverthrow';

export interface ServiceState {
  readonly member: Member;
}

const statusOf = {
  invalid: 400,
  unauthenticated: 401,
  'not-found': 404,
  upstream: 502,
  overloaded: 503,
  unexpected: 500,
} as const satisfies Record<Failure['kind'], number>;

/** A stand-in as a real service would be: it checks the member's token itself, and lets nobody see another's data. */
export const service = (authenticate: Authenticate, routes: Router<ServiceState>): RequestListener => {
  const app = new Koa();
  app.on('error', () => {}); // what breaks here is a connection, and faults break them on purpose
  app.use(async (ctx, next) => {
    const verified = await authenticate(/^Bearer (.+)$/.exec(ctx.get('Authorization'))?.[1]);
    if (verified.isErr()) return refuse(ctx, statusOf[verified.error.kind]);
    ctx.state['member'] = verified.value;
    return next();
  });
  routes.param('partyLocator', (locator, ctx, next) =>
    locator === ctx.state.member.locator ? next() : refuse(ctx, 403),
  );
  app.use(routes.routes() as Koa.Middleware);
  return app.callback();
};

export const answer = (ctx: Context, result: Result<Json, Failure>, status = 200): void =>
  result.match(
    ({ text }) => {
      ctx.status = status;
      ctx.body = text;
      ctx.type = 'application/json';
    },
    (failure) => refuse(ctx, statusOf[failure.kind]),
  );

export const refuse = (ctx: Context, status: number): void => {
  ctx.status = status;
  ctx.body = { error: `the service says ${status}` };
};

export const query = (ctx: Context) => ctx.querystring;

/** The JSON body of a request, as received. */
export const body = async ({ req }: Context): Promise<Json> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of req as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { text, value: JSON.parse(text) as unknown };
};
