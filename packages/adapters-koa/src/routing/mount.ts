import { Router, type RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import compose from 'koa-compose';
import { noteRoute } from '../middleware/request-report.ts';
import { responseDefaults } from '../middleware/response-defaults.ts';
import { jsonBody } from '../request/json-body.ts';
import { sendProblem } from '../response/problem.ts';
import type { RouteGroup } from './route.ts';
import { isPathOf, routesOf } from './route.ts';

export interface MountOptions {
  /** Which paths are answered here, with 404 or 405 where no route fits; others are passed on. Default: those of the routes. */
  readonly owns?: (path: string) => boolean;
  /** Runs before each route, behind the match. */
  readonly before?: readonly Middleware[];
  /** Runs for each owned path. */
  readonly prepare?: (ctx: Context) => void;
  /** The largest JSON body taken. */
  readonly maxRequestBytes?: number;
}

/** Routes complete in themselves, to be mounted in any Koa app: paths that they do not own are passed on. */
export const mountRoutes = <Use, Settings, State>(
  groups: readonly RouteGroup<Use, Settings, State>[],
  use: Use,
  settings: Settings,
  { owns = isPathOf(routesOf(groups)), before = [], prepare, maxRequestBytes = 0 }: MountOptions = {},
): Middleware => {
  const router = new Router({ sensitive: true, strict: true });
  /** The routes without parameters: found at once, where the router tries every pattern. */
  const exact = new Map<string, Middleware>();
  for (const { method, path, body, handle } of groups.flatMap(({ routes }) => routes)) {
    const read = body ? [jsonBody(maxRequestBytes, ...body)] : [];
    const run = compose([...before, ...read, handle(use, settings) as unknown as Middleware]) as Middleware;
    router.register(path.replaceAll(/\{(\w+)\}/g, ':$1'), [method], run as never);
    if (path.includes('{')) continue;
    for (const each of method === 'GET' ? ['GET', 'HEAD'] : [method]) exact.set(`${each} ${path}`, run);
  }
  const others = router.routes() as unknown as Middleware;

  const answer = (ctx: Context) => {
    prepare?.(ctx);
    const { path } = ctx.request;
    const run = exact.get(`${ctx.req.method} ${path}`);
    if (!run) return others(ctx, async () => unmatched(ctx));
    noteRoute(ctx, path);
    return run(ctx, done);
  };
  return (ctx, next) => (owns(ctx.request.path) ? responseDefaults(ctx, () => answer(ctx)) : next());
};

const done = async (): Promise<void> => {};

/** The path has routes but none of this method (405 with `Allow`), or no route. */
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
