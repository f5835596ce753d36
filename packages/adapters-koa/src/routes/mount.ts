import type { Router, RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import compose from 'koa-compose';
import { noteRoute } from '../middleware/request-report.ts';
import { edge } from '../middleware/response-defaults.ts';
import { sendProblem } from '../response/problem.ts';

/** A router made complete in itself, to stand in any Koa app: paths it does not own pass it by. */
export const mount = <State>(
  owns: (path: string) => boolean,
  router: Router<State>,
  prepare?: (ctx: Context) => void,
): Middleware => {
  const direct = directRoutes(router);
  const others = router.routes() as unknown as Middleware;
  const answer = (ctx: Context) => {
    prepare?.(ctx);
    const route = direct.get(`${ctx.req.method} ${ctx.request.path}`);
    return route ? route(ctx) : others(ctx, async () => unmatched(ctx));
  };
  return (ctx, next) => (owns(ctx.request.path) ? edge(ctx, () => answer(ctx)) : next());
};

/**
 * The routes without parameters, by method and path: what the router would run for them, found without trying every
 * pattern. Paths are matched exactly there too (`sensitive`, `strict`).
 */
const directRoutes = <State>(router: Router<State>): ReadonlyMap<string, (ctx: Context) => Promise<void>> => {
  const always = router.stack.filter(({ methods }) => methods.length === 0).flatMap(({ stack }) => stack);
  const routes = new Map<string, (ctx: Context) => Promise<void>>();
  for (const { methods, path, paramNames, stack } of router.stack) {
    if (typeof path !== 'string' || paramNames.length > 0) continue;
    const run = compose([...always, ...stack] as unknown as Middleware[]);
    for (const method of methods)
      if (!routes.has(`${method} ${path}`))
        routes.set(`${method} ${path}`, (ctx) => {
          noteRoute(ctx, path);
          return run(ctx);
        });
  }
  return routes;
};

/** The path is ours but the method is not (405 with `Allow`), or the path is nobody's. */
const unmatched = (ctx: Context): void => {
  const { matched = [] } = ctx as unknown as RouterContext;
  const allowed = [...new Set(matched.flatMap(({ methods }) => methods))].toSorted().join(', ');
  if (allowed === '') return noSuchRoute(ctx);
  ctx.set('Allow', allowed);
  if (ctx.method !== 'OPTIONS')
    return sendProblem(ctx, { code: 'method-not-allowed', detail: `This route allows ${allowed}.` });
  ctx.status = 204;
};

export const noSuchRoute = (ctx: Context): void =>
  sendProblem(ctx, { code: 'no-such-route', detail: 'There is no such route.' });
