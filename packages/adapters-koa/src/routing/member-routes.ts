import type { RateLimiter, UseCases } from '@portico/core';
import type { Context, Middleware } from 'koa';
import { authentication } from '../middleware/authentication.ts';
import { limitMembers, type OnRateLimited } from '../middleware/rate-limit.ts';
import { serverDefaults } from '../server/defaults.ts';
import { mountRoutes } from './mount.ts';
import { routeTable } from '../routes/table.ts';
import { isMemberPath } from './route.ts';

export interface MemberRouteSettings {
  /** The largest request body taken. Default 256 KiB (`serverDefaults`). */
  readonly maxRequestBytes?: number;
  /** How often a member may call. Default: without limit. */
  readonly memberLimiter?: RateLimiter;
  readonly onRateLimited?: OnRateLimited;
}

/**
 * Everything under `/me`, complete in itself: tokens, problem details, request ids and cache headers. Mount it in a Koa
 * app of your own with `app.use(memberRoutes(useCases))`; other paths are passed on.
 */
export const memberRoutes = (
  use: UseCases,
  { maxRequestBytes = serverDefaults.maxRequestBytes, memberLimiter, onRateLimited }: MemberRouteSettings = {},
  routes = routeTable.member,
): Middleware =>
  mountRoutes(routes, use, undefined, {
    owns: isMemberPath,
    before: [authentication(use), ...(memberLimiter ? [limitMembers(memberLimiter, onRateLimited)] : [])],
    prepare: keepPrivate,
    maxRequestBytes,
  });

/** No cache on the way may keep or share what a member sees (RFC 9111, section 5.2.2). */
const keepPrivate = (ctx: Context): void => {
  ctx.res.setHeader('Cache-Control', 'private, no-store');
  if (ctx.res.hasHeader('Vary')) ctx.vary('Authorization');
  else ctx.res.setHeader('Vary', 'Authorization');
};
