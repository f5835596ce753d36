import type { RouterContext } from '@koa/router';
import type { Json, Member, ProfilePatch, SearchUseCases, UseCases } from '@portico/core';
import type { Operation, Schema } from '../openapi/format.ts';
import type { CallbackGate } from '../request/callback-gate.ts';

/** What the server, the limits, the OpenAPI document and the access log know of a route. */
export interface RouteFacts {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** As OpenAPI writes it: `/me/claims/{locator}`. */
  readonly path: `/${string}`;
  readonly operation: Operation;
  /** The media types of the JSON body that the route takes. Without: the body is not read, or by the route itself. */
  readonly body?: readonly [string, ...string[]];
  /** Whether the rate limit per address counts its requests. Routes under `/me` are always counted. */
  readonly isAddressLimited?: boolean;
  /** How a refusal before the route is written: problem details, or the NACK that sellers understand. Default: problem details. */
  readonly refusal?: 'nack';
}

export interface Route<Use, Settings = unknown, State = unknown> extends RouteFacts {
  /** Called once, when the routes are mounted; the function that it returns, for each request. */
  readonly handle: (use: Use, settings: Settings) => (ctx: RouterContext<State>) => void | Promise<void>;
}

/** The routes of one domain word, and the schemas that their operations name. */
export interface RouteGroup<Use, Settings = unknown, State = unknown> {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly routes: readonly Route<Use, Settings, State>[];
}

/** What a member route finds in `ctx.state`: `body` and `mediaType` only where the route has a body. */
interface MemberState {
  readonly member: Member;
  readonly body: Json;
  readonly mediaType: ProfilePatch['mediaType'];
}

export type MemberRoutes = RouteGroup<UseCases, unknown, MemberState>;

interface SearchState {
  readonly body: Json;
}

export type SearchRoutes = RouteGroup<SearchUseCases, { readonly maxUnsentBytes: number }, SearchState>;

export interface CallbackSettings {
  readonly maxCallbackBytes: number;
  readonly gate: CallbackGate;
  readonly version?: string | undefined;
}

export type CallbackRoutes = RouteGroup<SearchUseCases, CallbackSettings>;

export const routesOf = (groups: readonly { readonly routes: readonly RouteFacts[] }[]): readonly RouteFacts[] =>
  groups.flatMap(({ routes }) => routes);

/** Everything under `/me` belongs to the member API, also where there is no route. */
export const isMemberPath = (path: string): boolean => path === '/me' || path.startsWith('/me/');

/** Whether a path is one of these routes', which have no parameters. */
export const isPathOf = (routes: readonly RouteFacts[]): ((path: string) => boolean) => {
  const paths = new Set<string>(routes.map(({ path }) => path));
  return (path) => paths.has(path);
};
