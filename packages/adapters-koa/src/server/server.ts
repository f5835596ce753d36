import type { Server } from 'node:http';
import type { RateLimiter, SearchUseCases, ServiceDeclaration, SomeUseCases, UseCases } from '@portico/core';
import Koa, { type Context } from 'koa';
import { type RequestReport, requestReporting, reportRefusal } from '../middleware/request-report.ts';
import { type ConnectionLimits, limitedServer } from './connections.ts';
import type { ServerTls } from './web-server.ts';
import { crossOrigin } from '../middleware/cors.ts';
import { gate, stateOf } from './draining.ts';
import { responseDefaults } from '../middleware/response-defaults.ts';
import { type MemberRouteSettings, memberRoutes, presentServices } from '../routing/member-routes.ts';
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
  /** Roles to serve, as far as their use cases are present. Default: all of them. */
  readonly roles?: readonly ServerRole[];
  /** Pages to serve at `/`, for paths without a route. */
  readonly pages?: PagesSettings;
  /** Origins whose pages may call this server (CORS). Default: none. */
  readonly corsOrigins?: readonly string[];
  readonly connections?: ConnectionLimits;
  /**
   * Serves HTTPS. Called for each connection, and must be fast: when it returns another object, new connections use that
   * certificate. Default: HTTP.
   */
  readonly tls?: () => ServerTls;
  /** Rate limit per client address (IPv6: per /64) for `/me/*`, `/api/search` and `/on_search`. Default: no limit. */
  readonly addressLimiter?: RateLimiter;
  /** Addresses and networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is trusted. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** Returns the reasons why the server is not ready, for `/readyz`. They must not contain private data. Default: none. */
  readonly notReady?: () => Promise<readonly string[]>;
  /** Called with every exception, which is always a bug. Its message may contain private data: redact it before logging. */
  readonly onError?: (error: unknown, requestId: string | undefined) => void;
  /** Called for every response, once it is sent or interrupted. */
  readonly onResponse?: (report: RequestReport) => void;
}

/** `member`: `/me/*`. `search`: `/api/search`. `callbacks`: `/on_search`, `/health` and `/api/legs`. */
export type ServerRole = 'member' | 'search' | 'callbacks';

type Absent<Group> = { readonly [Name in keyof Group]?: undefined };

/** The use cases of the member API with any of its services, of the search API, of both or of neither. */
export type ServedUseCases = (SomeUseCases | (Absent<UseCases> & { readonly services?: undefined })) &
  (SearchUseCases | Absent<SearchUseCases>);

/** Creates the HTTP server of the APIs whose use cases are present. It is not listening yet. Close it with `drain`. */
export const createServer = (
  use: ServedUseCases,
  {
    onError,
    onResponse,
    roles = ['member', 'search', 'callbacks'],
    pages: pagesSettings,
    corsOrigins = [],
    connections = {},
    tls,
    addressLimiter,
    trustedProxies,
    notReady = async () => [],
    ...settings
  }: ServerSettings = {},
  table: RouteTable = routeTable,
): Server => {
  const app = new Koa();
  const own = (use.services ?? []).map(({ declaration }) => declaration);
  const server = limitedServer(connections, onResponse && reportRefusal(onResponse), tls);
  // Koa emits an interrupted stream twice: for the stream and for the response.
  const reported = new WeakSet<Context>();
  app.on('error', (error: unknown, ctx?: Context) => {
    if (isConnectionError(error) || (ctx && reported.has(ctx))) return;
    if (ctx) reported.add(ctx);
    onError?.(error, ctx?.state['requestId'] as string | undefined);
  });
  const state = stateOf(server, {
    pending: () => use.searchStatus?.().pending ?? 0,
    isServedWhileDraining: isPathOf(routesOf(table.callbacks)),
    isSearch: isPathOf(routesOf(table.search)),
  });
  if (onResponse) app.use(requestReporting(onResponse));
  app.use(tracing());
  app.use(responseDefaults);
  if (corsOrigins.length > 0) app.use(crossOrigin(corsOrigins, own.flatMap(methodsOf)));
  app.use(mountRoutes(table.probes, undefined, { isDraining: () => state.phase !== 'serving', notReady }));
  app.use(gate(state));
  if (addressLimiter)
    app.use(limitAddresses(addressLimiter, addressLimitScope(table), trustedProxies, settings.onRateLimited));
  const served = roles.filter((role) => (role === 'member' ? hasMemberApi(use) : hasSearchApi(use)));
  if (hasMemberApi(use) && served.includes('member')) app.use(memberRoutes(use, settings, table.member));
  if (hasSearchApi(use) && served.includes('search')) app.use(searchRoutes(use, settings, table.search));
  if (hasSearchApi(use) && served.includes('callbacks')) app.use(callbackRoutes(use, settings, table.callbacks));
  const documented = {
    serves: [...served, 'probes', 'document'] as const,
    services: presentServices(use),
    ownServices: own,
  };
  app.use(openApiRoutes({ version: settings.version, ...documented }, table));
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

const methodsOf = ({ operations }: ServiceDeclaration) => Object.values(operations).map(({ method }) => method);

const hasMemberApi = (use: ServedUseCases): use is SomeUseCases & ServedUseCases => use.authenticate !== undefined;

const hasSearchApi = (use: ServedUseCases): use is SearchUseCases & ServedUseCases => use.search !== undefined;

/** Whether a client or downstream disconnected, or the request was malformed (`HPE_…`, from the parser). These are not bugs. */
const isConnectionError = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  /^(?:ERR_STREAM_PREMATURE_CLOSE|ERR_DOWNSTREAM_BROKE_OFF|ECONNRESET|EPIPE|HPE_.+)$/.test(String(error.code));
