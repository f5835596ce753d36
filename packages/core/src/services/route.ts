import { isMemberField } from '../shared/request-body.ts';

/** The methods of member routes. */
const routeMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export type RouteMethod = (typeof routeMethods)[number];

/** A member route: its method, a space and its path, such as `GET /me/claims/{locator}`. */
export type RouteKey = `${RouteMethod} /me/${string}`;

/** A route key, split. `parameters` are the names in braces, in order. */
export interface ParsedRoute {
  readonly method: RouteMethod;
  readonly path: `/me/${string}`;
  readonly parameters: readonly string[];
}

/** The member routes of the six built-in services (contract, section 2). */
export const builtInRoutes = [
  'GET /me/coverage',
  'GET /me/accumulators',
  'GET /me/claims',
  'POST /me/claims',
  'GET /me/claims/{locator}',
  'GET /me/documents',
  'GET /me/documents/{locator}',
  'GET /me/profile',
  'PATCH /me/profile',
  'GET /me/preferences',
  'PUT /me/preferences',
  'GET /me/notifications',
  'GET /me/notifications/log',
  'GET /me/consent',
  'PUT /me/consent',
] as const satisfies readonly RouteKey[];

/** The name of a member route as a part of `GET /me` (contract, section 12): the last segment of its path. */
export const partName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const parameterName = /^[A-Za-z][A-Za-z0-9]{0,31}$/;

/** Splits a valid route key. */
export const parseRoute = (route: RouteKey): ParsedRoute => {
  const [method, path] = route.split(' ') as [RouteMethod, ParsedRoute['path']];
  return { method, path, parameters: parametersIn(path) };
};

/** The names in braces, in order. */
export const parametersIn = (path: string): readonly string[] =>
  path.split('/').flatMap((segment) => (isParameter(segment) ? [segment.slice(1, -1)] : []));

export const isParameter = (segment: string): boolean =>
  segment.startsWith('{') && segment.endsWith('}') && parameterName.test(segment.slice(1, -1));

/** Returns the broken rule of a route key (contract, section 8) as a sentence, or undefined. */
export const routeProblem = (route: string): string | undefined => {
  const [method, path, ...rest] = route.split(' ');
  const named = `The route "${route}"`;
  if (!(routeMethods as readonly unknown[]).includes(method) || rest.length > 0)
    return `${named} must be one of ${routeMethods.join(', ')}, a space and a path.`;
  if (!path?.startsWith('/me/')) return `${named} must have a path below /me/.`;
  if (path.includes('..')) return `${named} must not contain "..".`;
  const segments = path.split('/').slice(1);
  const wrong = segments.find((segment) => !/^[a-z0-9-]+$/.test(segment) && !isParameter(segment));
  if (wrong !== undefined)
    return `${named} has the segment "${wrong}"; a segment must be lower-case letters, digits and hyphens, or a {parameter}.`;
  const parameters = parametersIn(path);
  const member = parameters.find(isMemberField);
  if (member !== undefined)
    return `${named} must not have the parameter {${member}}: the access token identifies the member.`;
  return new Set(parameters).size < parameters.length ? `${named} must have each parameter only once.` : undefined;
};

/** Whether a string is a valid route key. */
export const isRouteKey = (route: string): route is RouteKey => routeProblem(route) === undefined;

/**
 * Returns why two routes cannot be served together, as a sentence, or undefined. Some path must not match both, unless they
 * have the same path and different methods.
 */
export const collisionProblem = (route: RouteKey, other: RouteKey): string | undefined => {
  const [one, two] = [parseRoute(route), parseRoute(other)];
  const owner = (builtInRoutes as readonly string[]).includes(other) ? 'the built-in route' : 'the route';
  if (one.path === two.path)
    return one.method === two.method ? `The route "${route}" collides with ${owner} of the same name.` : undefined;
  return overlap(one.path, two.path)
    ? `The route "${route}" is ambiguous with ${owner} "${other}": a path can match both.`
    : undefined;
};

/**
 * Returns why two reads cannot both be parts of `GET /me`, as a sentence, or undefined. The name of each part must lead to
 * one route.
 */
export const partProblem = (route: RouteKey, other: RouteKey): string | undefined => {
  const name = partName(route);
  return name === partName(other) && parseRoute(route).path !== parseRoute(other).path
    ? `The routes "${route}" and "${other}" would both be the part "${name}" of GET /me; end their paths differently.`
    : undefined;
};

const overlap = (path: string, other: string): boolean => {
  const segments = path.split('/');
  const others = other.split('/');
  return (
    segments.length === others.length &&
    segments.every((segment, at) => segment === others[at] || isParameter(segment) || isParameter(others[at]!))
  );
};
