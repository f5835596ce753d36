import type { Router, RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import compose from 'koa-compose';
import { edge } from './edge.ts';
import { sendProblem } from './problem.ts';

/** A router made complete in itself, to stand in any Koa app: paths it does not own pass it by. */
export const mount = <State>(
  owns: (path: string) => boolean,
  before: readonly Middleware[],
  router: Router<State>,
): Middleware => {
  const answer = compose([edge, ...before, router.routes() as unknown as Middleware, unmatched]);
  return (ctx, next) => (owns(ctx.path) ? answer(ctx, next) : next());
};

/** The path is ours but the method is not (405 with `Allow`), or the path is nobody's. */
const unmatched: Middleware = (ctx) => {
  const { matched = [] } = ctx as unknown as RouterContext;
  const allowed = [...new Set(matched.flatMap(({ methods }) => methods))].toSorted().join(', ');
  if (allowed === '') return noSuchRoute(ctx);
  ctx.set('Allow', allowed);
  if (ctx.method !== 'OPTIONS')
    return sendProblem(ctx, { code: 'method-not-allowed', detail: `This route allows ${allowed}.` });
  ctx.status = 204;
  return undefined;
};

export const noSuchRoute = (ctx: Context): void =>
  sendProblem(ctx, { code: 'no-such-route', detail: 'There is no such route.' });
