import {
  hasService,
  type PartRead,
  partName,
  type RateLimiter,
  type ServiceDeclaration,
  type ServiceName,
  serviceNames,
  type SomeUseCases,
  type UseCases,
} from '@portico/core';
import type { Middleware } from 'koa';
import { authentication } from '../middleware/authentication.ts';
import type { BodyLimits } from '../middleware/json-body.ts';
import { writeConditions } from '../middleware/write-conditions.ts';
import { limitMembers, type OnRateLimited } from '../middleware/rate-limit.ts';
import type { DpopSettings } from '../response/challenge.ts';
import { preventCaching } from '../response/prevent-caching.ts';
import { mountRoutes } from './mount.ts';
import { ownServiceRoutes } from '../routing/own-service-routes.ts';
import { routeTable } from '../routes/table.ts';
import { groupsOf, isMemberPath, type MemberRoutes, type RouteFacts, routesOf } from '../routing/route.ts';

/** Defaults: `serverDefaults`. */
export interface MemberRouteSettings extends BodyLimits {
  /** Rate limit per member. Default: no limit. */
  readonly memberLimiter?: RateLimiter;
  readonly onRateLimited?: OnRateLimited;
  /** Accepts DPoP-bound tokens, if the core's rules do too. Default: only bearer tokens. */
  readonly dpop?: DpopSettings;
}

/**
 * Serves all paths under `/me`, including authentication, problem details, request ids and cache headers. Mount it in any
 * Koa app with `app.use(memberRoutes(useCases))`; other paths go to the next middleware. The routes of a service whose use
 * cases are absent are 404 `no-such-route`. Services of your own are served beside the built-in ones (contract, section 8).
 */
export const memberRoutes = (
  use: SomeUseCases,
  { memberLimiter, onRateLimited, dpop, ...bodies }: MemberRouteSettings = {},
  routes = routeTable.member,
): Middleware => {
  const groups = groupsOf(routes, presentServices(use), ownRoutes(use));
  const settings = { parts: partsOf(groups, use as UseCases), memberLimiter, onRateLimited };
  return mountRoutes(groups, use as UseCases, settings, {
    owns: isMemberPath,
    before: [authentication(use, dpop), ...(memberLimiter ? [limitMembers(memberLimiter, onRateLimited)] : [])],
    beforeWrites: [writeConditions],
    prepare: preventCaching,
    bodies,
  });
};

const ownRoutes = ({ services = [] }: Pick<SomeUseCases, 'services'>) => services.map(ownServiceRoutes);

/** The parts of `GET /me`: the reads of these groups. */
const partsOf = (groups: readonly MemberRoutes[], use: UseCases): readonly PartRead[] =>
  groups.flatMap(({ service, routes }) =>
    routes.flatMap(({ path, read }) => {
      if (service === undefined || !read) return [];
      const run = read(use);
      return [{ name: partName(path), service, read: (member) => run(member, '') }];
    }),
  );

/** The member routes that are served with these services and these services of your own. */
export const servedMemberRoutes = (
  services: readonly ServiceName[],
  own: readonly ServiceDeclaration[] = [],
): readonly RouteFacts[] =>
  routesOf(
    groupsOf(
      routeTable.member,
      services,
      own.map((declaration) => ownServiceRoutes({ declaration })),
    ),
  );

/** The services whose use cases are present. */
export const presentServices = (use: object): readonly ServiceName[] =>
  serviceNames.filter((name) => hasService(use, name));
