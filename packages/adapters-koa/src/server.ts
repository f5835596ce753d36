import { createServer as createHttpServer, type Server } from 'node:http';
import type { SearchUseCases, UseCases } from '@portico/core';
import Koa, { type Context, type Middleware } from 'koa';
import { edge } from './edge.ts';
import { type MemberRouteSettings, memberRoutes } from './member-routes.ts';
import { noSuchRoute } from './mount.ts';
import { type CallbackRouteSettings, callbackRoutes, type SearchRouteSettings, searchRoutes } from './search-routes.ts';

export interface ServerSettings extends MemberRouteSettings, SearchRouteSettings, CallbackRouteSettings {
  /** Told of every exception, which is always a bug of ours. An error's message may hold private data: log it with care. */
  readonly onError?: (error: unknown, requestId: string | undefined) => void;
}

/** The use cases of the member half, of the search half, of both or of neither. */
export type ServedUseCases = Partial<UseCases> & Partial<SearchUseCases>;

/** The HTTP server of every half whose use cases are all there, not listening yet. End it with `drain`. */
export const createServer = (use: ServedUseCases, { onError, ...settings }: ServerSettings = {}): Server => {
  const app = new Koa();
  const server = createHttpServer();
  // Koa tells of a stream that broke twice: for the stream, and for the response it went into.
  const told = new WeakSet<Context>();
  app.on('error', (error: unknown, ctx?: Context) => {
    if (isHangUp(error) || (ctx && told.has(ctx))) return;
    if (ctx) told.add(ctx);
    onError?.(error, ctx?.state['requestId'] as string | undefined);
  });
  app.use(closeWhenDraining(server));
  app.use(edge);
  if (hasMemberHalf(use)) app.use(memberRoutes(use, settings));
  if (hasSearchHalf(use)) app.use(searchRoutes(use, settings)).use(callbackRoutes(use, settings));
  app.use(noSuchRoute);
  return server.on('request', app.callback());
};

const hasMemberHalf = (use: ServedUseCases): use is UseCases => use.authenticate !== undefined;

const hasSearchHalf = (use: ServedUseCases): use is SearchUseCases => use.search !== undefined;

/** Stops accepting, lets what is in flight finish, and after `limitMs` cuts off what is left. */
export const drain = (server: Server, limitMs = 10_000): Promise<void> =>
  new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const limit = setTimeout(() => server.closeAllConnections(), limitMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(limit);
      resolve();
    });
  });

/** A kept-alive connection would otherwise hold up the end until it times out. */
const closeWhenDraining =
  (server: Server): Middleware =>
  async (ctx, next) => {
    await next();
    if (!server.listening) ctx.set('Connection', 'close');
  };

/** A client that left, or broke off its request (`HPE_…`, from the parser), is nobody's bug. */
const isHangUp = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  /^(?:ERR_STREAM_PREMATURE_CLOSE|ECONNRESET|EPIPE|HPE_.+)$/.test(String(error.code));
