import { createServer as createHttpServer, type Server } from 'node:http';
import type { SearchUseCases, UseCases } from '@portico/core';
import Koa, { type Context, type Middleware } from 'koa';
import { type AnswerReport, reporting } from './answer-report.ts';
import { crossOrigin } from './cross-origin.ts';
import { edge } from './edge.ts';
import { type MemberRouteSettings, memberRoutes } from './member-routes.ts';
import { noSuchRoute } from './mount.ts';
import { pages, type PagesSettings } from './pages.ts';
import { sendFailure } from './problem.ts';
import {
  type CallbackRouteSettings,
  callbackRoutes,
  isCallbackPath,
  type SearchRouteSettings,
  searchRoutes,
} from './search-routes.ts';

export interface ServerSettings extends MemberRouteSettings, SearchRouteSettings, CallbackRouteSettings {
  /** Which routes are served, of those whose use cases are there. Default: all of them. */
  readonly roles?: readonly ServerRole[];
  /** Pages to serve at `/`, for whatever is no route. */
  readonly pages?: PagesSettings;
  /** Origins whose pages may call us from elsewhere (CORS). Default: none. */
  readonly corsOrigins?: readonly string[];
  /** Told of every exception, which is always a bug of ours. An error's message may hold private data: log it with care. */
  readonly onError?: (error: unknown, requestId: string | undefined) => void;
  /** Told of every answer, once it is out or cut off. */
  readonly onAnswer?: (answer: AnswerReport) => void;
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
    onAnswer,
    roles = ['member', 'search', 'callbacks'],
    pages: pagesSettings,
    corsOrigins = [],
    ...settings
  }: ServerSettings = {},
): Server => {
  const app = new Koa();
  const server = createHttpServer();
  // Koa tells of a stream that broke twice: for the stream, and for the response it went into.
  const told = new WeakSet<Context>();
  app.on('error', (error: unknown, ctx?: Context) => {
    if (isHangUp(error) || (ctx && told.has(ctx))) return;
    if (ctx) told.add(ctx);
    onError?.(error, ctx?.state['requestId'] as string | undefined);
  });
  const state: State = { draining: false, pending: () => use.searchStatus?.().pending ?? 0 };
  states.set(server, state);
  if (onAnswer) app.use(reporting(onAnswer));
  app.use(edge);
  if (corsOrigins.length > 0) app.use(crossOrigin(corsOrigins));
  app.use(gate(state));
  if (hasMemberHalf(use) && roles.includes('member')) app.use(memberRoutes(use, settings));
  if (hasSearchHalf(use) && roles.includes('search')) app.use(searchRoutes(use, settings));
  if (hasSearchHalf(use) && roles.includes('callbacks')) app.use(callbackRoutes(use, settings));
  if (pagesSettings) app.use(pages(pagesSettings));
  app.use(noSuchRoute);
  return server.on('request', app.callback());
};

const hasMemberHalf = (use: ServedUseCases): use is UseCases => use.authenticate !== undefined;

const hasSearchHalf = (use: ServedUseCases): use is SearchUseCases => use.search !== undefined;

interface State {
  draining: boolean;
  /** How many legs still wait for a callback. */
  readonly pending: () => number;
}

const states = new WeakMap<Server, State>();

/**
 * Takes no new work, lets what is in flight finish, and after `limitMs` cuts off what is left. While a search waits,
 * sellers must still get through: the server keeps listening for callbacks and turns everything else away (503).
 */
export const drain = async (server: Server, limitMs = 10_000): Promise<void> => {
  const state = states.get(server);
  if (state) state.draining = true;
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(limit.resolve, limitMs);
  if (state && state.pending() > 0) await Promise.race([searchesSettled(state), limit.promise]);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await Promise.race([closed, limit.promise]);
  server.closeAllConnections();
  clearInterval(sweep);
  clearTimeout(timer);
  await closed;
};

const searchesSettled = (state: State): Promise<void> =>
  new Promise((resolve) => {
    const look = setInterval(() => {
      if (state.pending() > 0) return;
      clearInterval(look);
      resolve();
    }, 20);
    look.unref();
  });

/** While draining: no new work, and no connection outlives its answer. */
const gate =
  (state: State): Middleware =>
  async (ctx, next) => {
    if (state.draining && !isCallbackPath(ctx.path)) {
      ctx.set('Cache-Control', 'private, no-store');
      sendFailure(ctx, { kind: 'overloaded', retryAfterSeconds: 1 });
    } else await next();
    if (state.draining) ctx.set('Connection', 'close');
  };

/** A client or a downstream that left midway, or a broken request (`HPE_…`, from the parser), is no bug of ours. */
const isHangUp = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  /^(?:ERR_STREAM_PREMATURE_CLOSE|ERR_DOWNSTREAM_BROKE_OFF|ECONNRESET|EPIPE|HPE_.+)$/.test(String(error.code));
