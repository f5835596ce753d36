import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SomeUseCases } from '@portico/core';
import Koa from 'koa';
import { type OnError, reportErrors } from '../middleware/error-report.ts';
import { responseDefaults } from '../middleware/response-defaults.ts';
import { MountError } from '../request/mount-error.ts';
import { requestListener } from './request-listener.ts';
import { memberRoutes, type MemberRouteSettings } from './member-routes.ts';
import { noSuchRoute } from './mount.ts';
import { isMemberPath } from '../routing/route.ts';

export interface MemberListenerSettings extends MemberRouteSettings {
  /**
   * Called with every exception: a `MountError` if the listener is mounted wrongly, otherwise a bug, whose message may contain
   * private data.
   */
  readonly onError: OnError;
}

/** A request listener of Node. With `next`, as in Express and Connect, it passes on requests outside `/me`. */
export type MemberListener = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void;

/**
 * Serves all paths under `/me` in any framework on Node's `http`, as `memberRoutes` does in Koa. Mount it without a path
 * and before body parsers; otherwise requests get 500 with a `MountError`. Outside `/me`, without `next`: 404 `no-such-route`.
 */
export const memberListener = (use: SomeUseCases, { onError, ...settings }: MemberListenerSettings): MemberListener => {
  const listenerOf = (...middleware: readonly Koa.Middleware[]) => {
    const app = new Koa();
    reportErrors(app, onError);
    for (const each of [responseDefaults, ...middleware]) app.use(each);
    return requestListener(app);
  };
  const serve = listenerOf(memberRoutes(use, settings), noSuchRoute);
  const refuse = listenerOf(({ req }) => {
    throw new MountError(mountProblem(req));
  });
  return (request, response, next) => {
    const isOutside = !isMemberPath(pathOf(request.url));
    if (mountProblem(request, next) !== undefined) refuse(request, response);
    else if (next && isOutside) next();
    else serve(request, response);
  };
};

/** What Express and Connect add to a request. A mount path is removed from `url`. */
interface MountedRequest {
  readonly baseUrl?: unknown;
  readonly originalUrl?: unknown;
}

/** Returns why requests cannot reach the routes. Without this check, they would all be 404. */
const mountProblem = (request: IncomingMessage, next?: () => void): string | undefined => {
  const { baseUrl, originalUrl } = request as MountedRequest;
  const path = pathOf(request.url);
  const isMounted = typeof baseUrl === 'string' && baseUrl !== '';
  const isStripped = typeof originalUrl === 'string' && isMemberPath(pathOf(originalUrl)) && !isMemberPath(path);
  if (isMounted || isStripped)
    return 'The member routes are mounted at a path. Mount them without one: their paths begin with /me.';
  return next === undefined && belowPrefix.test(path)
    ? 'The member routes are mounted below a prefix. Mount them without one: their paths begin with /me.'
    : undefined;
};

/** `/me` as a later segment of a path. Without encoded characters: routers decode them, and clients choose them. */
const belowPrefix = /^(?:\/[\w.~-]+)+\/me(?:\/|$)/;

const pathOf = (url = ''): string => url.replace(/\?.*$/s, '');
