import { Router, type RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import compose from 'koa-compose';
import { recordRoute } from '../request/request-report.ts';
import { responseDefaults } from '../middleware/response-defaults.ts';
import { type BodyLimits, jsonBodies } from '../middleware/json-body.ts';
import { sendProblem } from '../response/problem.ts';
import type { RouteGroup } from '../routing/route.ts';
import { isPathOf, routesOf } from '../routing/route.ts';

export interface MountOptions {
  /** Paths handled here, with 404 or 405 if no route matches; other paths go to the next middleware. Default: the paths of the routes. */
  readonly owns?: (path: string) => boolean;
  /** Middleware that runs after a route has matched, before its handler. */
  readonly before?: readonly Middleware[];
  /** Middleware that runs after it for other methods than GET and HEAD. */
  readonly beforeWrites?: readonly Middleware[];
  /** Called for each owned path. */
  readonly prepare?: (ctx: Context) => void;
  readonly bodies?: BodyLimits;
}

/** Creates a self-contained middleware of these routes for any Koa app. Paths that it does not own go to the next middleware. */
export const mountRoutes = <Use, Settings, State>(
  groups: readonly RouteGroup<Use, Settings, State>[],
  use: Use,
  settings: Settings,
  { owns = isPathOf(routesOf(groups)), before = [], beforeWrites = [], prepare, bodies }: MountOptions = {},
): Middleware => {
  const router = new Router({ sensitive: true, strict: true });
  /** Routes without parameters, by path and method. A map lookup is faster than the router, which tries every pattern. */
  const exact = new Map<string, Map<string, Middleware>>();
  const readJson = jsonBodies(bodies);
  for (const { method, path, body, handle } of groups.flatMap(({ routes }) => routes)) {
    const read = body ? [readJson(...body)] : [];
    const run = compose([
      ...before,
      ...(method === 'GET' ? [] : beforeWrites),
      ...read,
      handle(use, settings) as unknown as Middleware,
    ]) as Middleware;
    router.register(path.replaceAll(/\{(\w+)\}/g, ':$1'), [method], run as never);
    if (path.includes('{')) continue;
    const methods = exact.get(path) ?? new Map<string, Middleware>();
    exact.set(path, methods);
    for (const each of method === 'GET' ? ['GET', 'HEAD'] : [method]) methods.set(each, run);
  }
  const parameterized = router.routes() as unknown as Middleware;

  const respond = (ctx: Context) => {
    prepare?.(ctx);
    const { path } = ctx.request;
    const run = exact.get(path)?.get(ctx.req.method ?? '');
    if (!run) return parameterized(ctx, async () => unmatched(ctx));
    recordRoute(ctx, path);
    return run(ctx, done);
  };
  return (ctx, next) => (owns(ctx.request.path) ? responseDefaults(ctx, () => respond(ctx)) : next());
};

const done = async (): Promise<void> => {};

/** Returns 405 with `Allow` if the path has routes for other methods, otherwise 404. */
const unmatched = (ctx: Context): void => {
  const { matched = [] } = ctx as unknown as RouterContext;
  const allowed = [...new Set(matched.flatMap(({ methods }) => methods))].toSorted().join(', ');
  if (allowed === '') return noSuchRoute(ctx);
  ctx.set('Allow', allowed);
  if (ctx.method !== 'OPTIONS')
    return sendProblem(ctx, { code: 'method-not-allowed', detail: `This route supports only ${allowed}.` });
  ctx.status = 204;
};

export const noSuchRoute = (ctx: Context): void =>
  sendProblem(ctx, { code: 'no-such-route', detail: 'No route matches the path.' });
