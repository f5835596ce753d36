import type { Server } from 'node:http';
import type { RateLimiter, SearchUseCases, UseCases } from '@portico/core';
import Koa, { type Context } from 'koa';
import { type RequestReport, reporting, reportRefusal } from '../middleware/request-report.ts';
import { type ConnectionLimits, limitedServer } from './connections.ts';
import { crossOrigin } from '../middleware/cors.ts';
import { gate, stateOf } from './draining.ts';
import { responseDefaults } from '../middleware/response-defaults.ts';
import { type MemberRouteSettings, memberRoutes } from '../routing/member-routes.ts';
import { mountRoutes, noSuchRoute } from '../routing/mount.ts';
import { type RouteTable, routeTable } from '../routes/table.ts';
import { isMemberPath, isPathOf, routesOf } from '../routing/route.ts';
import { openApiRoutes } from '../openapi/openapi-routes.ts';
import { pages, type PagesSettings } from '../web-app/pages.ts';
import { type AddressLimitScope, limitAddresses } from '../middleware/rate-limit.ts';
import {
  type CallbackRouteSettings,
  callbackRoutes,
  type SearchRouteSettings,
  searchRoutes,
} from '../routing/search-routes.ts';
import { tracing } from '../middleware/tracing.ts';

export interface ServerSettings extends MemberRouteSettings, SearchRouteSettings, CallbackRouteSettings {
  /** Which routes are served, of those whose use cases are there. Default: all of them. */
  readonly roles?: readonly ServerRole[];
  /** Pages to serve at `/`, for whatever is no route. */
  readonly pages?: PagesSettings;
  /** Origins whose pages may call us from elsewhere (CORS). Default: none. */
  readonly corsOrigins?: readonly string[];
  readonly connections?: ConnectionLimits;
  /** How often one address (of IPv6: one /64) may ask for `/me/*`, `/api/search` and `/on_search`. Default: as often as it likes. */
  readonly addressLimiter?: RateLimiter;
  /** Addresses and networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is believed. Default: nobody's. */
  readonly trustedProxies?: readonly string[];
  /** Why requests should not be sent here yet, for `/readyz`; nothing private. Default: no reason. */
  readonly notReady?: () => Promise<readonly string[]>;
  /** Told of every exception, which is always a bug of ours. An error's message may hold private data: log it with care. */
  readonly onError?: (error: unknown, requestId: string | undefined) => void;
  /** Told of every answer, once it is out or cut off. */
  readonly onResponse?: (answer: RequestReport) => void;
}

/** `/me/*`, `/api/search`, or what sellers and probes ask: `/on_search`, `/health`, `/api/legs`. */
export type ServerRole = 'member' | 'search' | 'callbacks';

/** The use cases of the member half, of the search half, of both or of neither. */
export type ServedUseCases = Partial<UseCases> & Partial<SearchUseCases>;

/** The HTTP server of every half whose use cases are all there, not listening yet. End it with `drain`. */
export const createServer = (
  use: ServedUseCases,
  {
    onError,
    onResponse,
    roles = ['member', 'search', 'callbacks'],
    pages: pagesSettings,
    corsOrigins = [],
    connections = {},
    addressLimiter,
    trustedProxies,
    notReady = async () => [],
    ...settings
  }: ServerSettings = {},
  table: RouteTable = routeTable,
): Server => {
  const app = new Koa();
  const server = limitedServer(connections, onResponse && reportRefusal(onResponse));
  // Koa tells of a stream that broke twice: for the stream, and for the response it went into.
  const told = new WeakSet<Context>();
  app.on('error', (error: unknown, ctx?: Context) => {
    if (isHangUp(error) || (ctx && told.has(ctx))) return;
    if (ctx) told.add(ctx);
    onError?.(error, ctx?.state['requestId'] as string | undefined);
  });
  const state = stateOf(server, {
    pending: () => use.searchStatus?.().pending ?? 0,
    isServedToTheEnd: isPathOf(routesOf(table.callbacks)),
    isSearch: isPathOf(routesOf(table.search)),
  });
  if (onResponse) app.use(reporting(onResponse));
  app.use(tracing());
  app.use(responseDefaults);
  if (corsOrigins.length > 0) app.use(crossOrigin(corsOrigins));
  app.use(mountRoutes(table.probes, undefined, { isDraining: () => state.phase !== 'serving', notReady }));
  app.use(gate(state));
  if (addressLimiter)
    app.use(limitAddresses(addressLimiter, addressLimitScope(table), trustedProxies, settings.onRateLimited));
  const served = roles.filter((role) => (role === 'member' ? hasMemberApi(use) : hasSearchApi(use)));
  if (hasMemberApi(use) && served.includes('member')) app.use(memberRoutes(use, settings, table.member));
  if (hasSearchApi(use) && served.includes('search')) app.use(searchRoutes(use, settings, table.search));
  if (hasSearchApi(use) && served.includes('callbacks')) app.use(callbackRoutes(use, settings, table.callbacks));
  app.use(openApiRoutes({ version: settings.version, serves: [...served, 'probes', 'document'] }, table));
  if (pagesSettings) app.use(pages(pagesSettings));
  app.use(noSuchRoute);
  return server.on('request', app.callback());
};

const addressLimitScope = (table: RouteTable): AddressLimitScope => {
  const routes = Object.values(table).flatMap((groups) => routesOf(groups));
  const isLimitedPath = isPathOf(routes.filter(({ isAddressLimited }) => isAddressLimited));
  return {
    isLimited: (path) => isMemberPath(path) || isLimitedPath(path),
    isRefusedByNack: isPathOf(routes.filter(({ refusal }) => refusal === 'nack')),
  };
};

const hasMemberApi = (use: ServedUseCases): use is UseCases => use.authenticate !== undefined;

const hasSearchApi = (use: ServedUseCases): use is SearchUseCases => use.search !== undefined;

/** A client or a downstream that left midway, or a broken request (`HPE_…`, from the parser), is no bug of ours. */
const isHangUp = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  /^(?:ERR_STREAM_PREMATURE_CLOSE|ERR_DOWNSTREAM_BROKE_OFF|ECONNRESET|EPIPE|HPE_.+)$/.test(String(error.code));
