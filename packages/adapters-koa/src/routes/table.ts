import { claimsRoutes } from './claims.ts';
import { consentRoutes } from './consent.ts';
import { documentsRoutes } from './documents.ts';
import { eligibilityRoutes } from './eligibility.ts';
import { healthRoutes } from './health.ts';
import { notificationsRoutes } from './notifications.ts';
import { onSearchRoutes } from './on-search.ts';
import { openApiRouteGroup } from './openapi.ts';
import { policyRoutes } from './policy.ts';
import { probeRoutes } from './probes.ts';
import { meRoutes } from '../routing/me-route.ts';
import type { CallbackRoutes, MemberRoutes, SearchRoutes } from '../routing/route.ts';
import { searchRoutes } from './search.ts';

export interface RouteTable {
  readonly member: readonly MemberRoutes[];
  readonly search: readonly SearchRoutes[];
  readonly callbacks: readonly CallbackRoutes[];
  readonly probes: readonly (typeof probeRoutes)[];
  readonly document: readonly (typeof openApiRouteGroup)[];
}

/** A group of routes: `memberRoutes`, `searchRoutes`, `callbackRoutes`, the probes of `createServer`, or `openApiRoutes`. */
export type Role = keyof RouteTable;

/**
 * All routes. The routers, 405 and `Allow`, the limits, draining, the OpenAPI document and the access log are derived from
 * this table.
 */
export const routeTable: RouteTable = {
  member: [
    meRoutes,
    eligibilityRoutes,
    claimsRoutes,
    documentsRoutes,
    policyRoutes,
    notificationsRoutes,
    consentRoutes,
  ],
  search: [searchRoutes],
  callbacks: [onSearchRoutes, healthRoutes],
  probes: [probeRoutes],
  document: [openApiRouteGroup],
};
