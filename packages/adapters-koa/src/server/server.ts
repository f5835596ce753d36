import type { Server as Http1Server } from 'node:http';
import {
  backChannelLogoutPath,
  type RateLimiter,
  type SearchUseCases,
  type ServiceDeclaration,
  type SomeUseCases,
  type UseCases,
} from '@portico/core';
import Koa, { type Middleware } from 'koa';
import { type OnError, reportErrors } from '../middleware/error-report.ts';
import { type ServerRole, serverRoles } from '../request/server-defaults.ts';
import { type RequestReport, requestReporting, reportRefusal, withErrorEvent } from '../request/request-report.ts';
import { type ConnectionLimits, limitedServer, limitServer } from './connections.ts';
import type { ServerTls } from './web-server.ts';
import { sendContinue } from '../request/body/expect-continue.ts';
import { crossOrigin } from '../middleware/cors.ts';
import { gate, stateOf } from './draining.ts';
import type { HttpServer } from './http-server.ts';
import { responseDefaults } from '../middleware/response-defaults.ts';
import { requestListener } from '../mounting/request-listener.ts';
import { type MemberRouteSettings, memberRoutes, presentServices } from '../mounting/member-routes.ts';
import { mountRoutes, noSuchRoute } from '../mounting/mount.ts';
import { type RouteTable, routeTable } from '../routes/table.ts';
import { isMemberPath, isPathOf, isSessionPath, routesOf } from '../routing/route.ts';
import { openApiRoutes } from '../mounting/openapi-routes.ts';
import { pages, type PagesSettings } from '../web-app/pages.ts';
import { type AddressLimitScope, limitAddresses } from '../middleware/rate-limit.ts';
import {
  type CallbackRouteSettings,
  callbackRoutes,
  type SearchRouteSettings,
  searchRoutes,
} from '../mounting/search-routes.ts';
import { tracing } from '../middleware/tracing.ts';

export interface ServerSettings<Server extends HttpServer = Http1Server>
  extends MemberRouteSettings, SearchRouteSettings, CallbackRouteSettings {
  /**
   * An existing `http`, `https` or `http2` server without a request listener, to be used instead of a new one. Its header
   * size is the one that it was created with.
   */
  readonly server?: Server;
  /** Roles to serve, as far as their use cases are present. Default: all of them. */
  readonly roles?: readonly ServerRole[];
  /** Pages to serve at `/`, for paths without a route. */
  readonly pages?: PagesSettings;
  /**
   * Middleware that runs before the routes of the APIs: after request id, security headers, request report, CORS, probes,
   * draining and the rate limit per address. It must not read the body of a request that it passes on. An exception is a 500.
   */
  readonly middleware?: readonly Middleware[];
  /** Origins whose pages may call this server (CORS). Default: none. */
  readonly corsOrigins?: readonly string[];
  readonly connections?: ConnectionLimits;
  /**
   * Serves HTTPS. Called for each connection, and must be fast: when it returns another object, new connections use that
   * certificate. If it cannot be used, the error is passed to `onError`, and the previous one stays in use. Default: HTTP.
   */
  readonly tls?: () => ServerTls;
  /**
   * Rate limit per client address (IPv6: per /64) for `/me/*`, `/session/*` except `/session/backchannel-logout`,
   * `/api/search` and callbacks. Default: no limit.
   */
  readonly addressLimiter?: RateLimiter;
  /** Addresses and networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is trusted. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** Returns the reasons why the server is not ready, for `/readyz`. They must not contain private data. Default: none. */
  readonly notReady?: () => Promise<readonly string[]>;
  readonly onError?: OnError;
  /** Called for every response, once it is sent or interrupted. An exception is passed to `onError`. */
  readonly onResponse?: (report: RequestReport) => void;
}

type Absent<Group> = { readonly [Name in keyof Group]?: undefined };

/** The use cases of the member API with any of its services, of the search API, of both or of neither. */
export type ServedUseCases = (SomeUseCases | (Absent<UseCases> & { readonly services?: undefined })) &
  (SearchUseCases | Absent<SearchUseCases>);

/**
 * Creates the HTTP server of the APIs whose use cases are present. It is not listening yet. Close it with `drain`. Throws
 * `TypeError` if the given server has a listener for requests or HTTP/2 streams, because both would respond, or if `tls` is
 * also given.
 */
export const createServer = <Server extends HttpServer = Http1Server>(
  use: ServedUseCases,
  {
    server: existing,
    onError,
    onResponse,
    roles = serverRoles,
    pages: pagesSettings,
    middleware = [],
    corsOrigins = [],
    connections = {},
    tls,
    addressLimiter,
    trustedProxies,
    notReady = async () => [],
    ...settings
  }: ServerSettings<Server> = {},
  table: RouteTable = routeTable,
): Server => {
  const app = new Koa();
  if (existing && ['request', 'stream'].some((event) => existing.listenerCount(event) > 0))
    throw new TypeError('createServer: the server already has a request listener');
  if (existing && tls) throw new TypeError('createServer: tls is only for a new server');
  const own = (use.services ?? []).map(({ declaration }) => declaration);
  const report = onResponse && withErrorEvent(app, onResponse);
  const onRefused = report && reportRefusal(report);
  // Without a given server, `Server` is the default.
  const server = existing
    ? limitServer(existing, connections, onRefused)
    : (limitedServer(connections, onRefused, tls, (error) => app.emit('error', error)) as HttpServer as Server);
  reportErrors(app, onError);
  const state = stateOf(server, {
    pending: () => use.searchStatus?.().pending ?? 0,
    isServedWhileDraining: isPathOf(routesOf(table.callbacks)),
    isSearch: isPathOf(routesOf(table.search)),
  });
  if (report) app.use(requestReporting(report));
  app.use(tracing());
  app.use(responseDefaults);
  if (corsOrigins.length > 0)
    app.use(
      crossOrigin(
        corsOrigins,
        [...allRoutes(table), ...own.flatMap(operationsOf)].map(({ method }) => method),
      ),
    );
  app.use(mountRoutes(table.probes, undefined, { isDraining: () => state.phase !== 'serving', notReady }));
  app.use(gate(state));
  if (addressLimiter)
    app.use(limitAddresses(addressLimiter, addressLimitScope(table), trustedProxies, settings.onRateLimited));
  app.use(continueSessions);
  for (const each of middleware) app.use(each);
  const served = roles.filter((role) => (role === 'member' ? hasMemberApi(use) : hasSearchApi(use)));
  if (hasMemberApi(use) && served.includes('member')) app.use(memberRoutes(use, settings, table.member));
  if (hasSearchApi(use) && served.includes('search')) app.use(searchRoutes(use, settings, table.search));
  if (hasSearchApi(use) && served.includes('callbacks')) app.use(callbackRoutes(use, settings, table.callbacks));
  const serves = [...served, 'probes', 'document'] as const;
  const services = presentServices(use);
  app.use(openApiRoutes({ version: settings.version, serves, services, ownServices: own }, table));
  if (pagesSettings) app.use(pages(pagesSettings));
  app.use(noSuchRoute);
  // Koa serves requests of HTTP/2 through Node's compatibility API, whose types differ.
  (server as unknown as Http1Server).on('request', requestListener(app));
  return server;
};

/** Sessions are middleware that reads the body of a logout request, whose sender may wait for `100 Continue`. */
const continueSessions: Middleware = (ctx, next) => {
  if (isSessionPath(ctx.path)) sendContinue(ctx.res);
  return next();
};

const addressLimitScope = (table: RouteTable): AddressLimitScope => {
  const routes = allRoutes(table);
  const isLimitedPath = isPathOf(routes.filter(({ isAddressLimited }) => isAddressLimited));
  return {
    isLimited: (path) =>
      isMemberPath(path) || (isSessionPath(path) && path !== backChannelLogoutPath) || isLimitedPath(path),
    isRefusedByNack: isPathOf(routes.filter(({ refusal }) => refusal === 'nack')),
  };
};

const allRoutes = (table: RouteTable) => Object.values(table).flatMap((groups) => routesOf(groups));

const operationsOf = ({ operations }: ServiceDeclaration) => Object.values(operations);

const hasMemberApi = (use: ServedUseCases): use is SomeUseCases & ServedUseCases => use.authenticate !== undefined;

const hasSearchApi = (use: ServedUseCases): use is SearchUseCases & ServedUseCases => use.search !== undefined;
