import type { IncomingMessage, ServerResponse } from 'node:http';
import { sessionDefaults } from './defaults.ts';
import { sendProblem } from './http/reply.ts';
import { isBelow, pathOf } from './http/request.ts';
import { backChannelLogout } from './routes/back-channel-logout.ts';
import { callback } from './routes/callback.ts';
import { checkAuthorizeParameters, login } from './routes/login.ts';
import { logout } from './routes/logout.ts';
import { status } from './routes/status.ts';
import { authenticateRequest } from './session/authentication.ts';
import { type SessionContext, sessionContext } from './session/context.ts';
import { type HandleRequest, type SessionHandler, sessionPaths, type SessionSettings } from './settings.ts';

type Route = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Browser sessions in front of the member routes (contract, section 11), for any Node server: a cookie becomes the
 * access token that the member routes expect. Throws a TypeError for settings that are not valid.
 */
export const sessions = (settings: SessionSettings): SessionHandler => {
  const { scope = sessionDefaults.scope, authorizeParameters = {}, paths = sessionDefaults.paths } = settings;
  for (const path of paths)
    if (!path.startsWith('/')) throw new TypeError('sessions: each path must begin with a slash');
  const roots = paths.map((path) => path.replace(/\/+$/, ''));
  checkAuthorizeParameters(authorizeParameters);
  if (!scope.split(' ').includes('openid')) throw new TypeError('sessions: scope must contain openid');
  const context = sessionContext(settings);
  const routes = routesOf(context, { scope, authorizeParameters });
  const authenticate = authenticateRequest(context);
  const handle: HandleRequest = async (request, response, next) => {
    const path = pathOf(request);
    if (isBelow(path, [sessionPaths.status])) return serve(routes[path], request, response);
    return isBelow(path, roots) ? authenticate(request, response, next) : next();
  };
  return Object.assign(handle, { settled: context.refresher.settled });
};

/** The routes by path and method. */
type Routes = Readonly<Record<string, Readonly<Record<string, Route>>>>;

const routesOf = (context: SessionContext, settings: Parameters<typeof login>[1]): Routes => ({
  [sessionPaths.status]: { GET: status(context), HEAD: status(context) },
  [sessionPaths.login]: { GET: login(context, settings) },
  [sessionPaths.callback]: { GET: callback(context) },
  [sessionPaths.logout]: { POST: logout(context) },
  ...(context.store && { [sessionPaths.backChannelLogout]: { POST: backChannelLogout(context, context.store) } }),
});

const serve = async (
  methods: Routes[string] | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  if (!methods) return sendProblem(request, response, { code: 'no-such-route', detail: 'There is no such route.' });
  const route = Object.hasOwn(methods, request.method ?? '') ? methods[request.method!] : undefined;
  if (route) return route(request, response);
  const allowed = Object.keys(methods).join(', ');
  response.setHeader('Allow', allowed);
  return sendProblem(request, response, { code: 'method-not-allowed', detail: `Allowed methods: ${allowed}.` });
};
