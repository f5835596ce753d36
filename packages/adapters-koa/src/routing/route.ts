import type { RouterContext } from '@koa/router';
import type { ResultAsync } from 'neverthrow';
import {
  type Failure,
  type Json,
  type Member,
  type PartRead,
  type ProfilePatch,
  type RateLimiter,
  type RouteMethod,
  type SearchUseCases,
  type Service,
  type ServiceResponse,
  sessionPath,
  type UseCases,
} from '@portico/core';
import type { Operation, Schema } from '../openapi/format.ts';
import type { OnRateLimited } from '../middleware/rate-limit.ts';
import type { CallbackGate } from '../request/callback-gate.ts';

/** Properties of a route that the server, the limits, the OpenAPI document and the access log use. */
export interface RouteFacts {
  readonly method: RouteMethod;
  /** Path in OpenAPI notation: `/me/claims/{locator}`. */
  readonly path: `/${string}`;
  readonly operation: Operation;
  /** Whether the path only repeats another one, such as one with a trailing slash. The OpenAPI document leaves it out. */
  readonly isAlias?: boolean;
  /** Accepted media types of the JSON body. If absent, the route has no body or reads it itself. */
  readonly body?: readonly [string, ...string[]];
  /** Whether the rate limit per client address counts the requests. Routes under `/me` are always counted. */
  readonly isAddressLimited?: boolean;
  /** Whether monitoring requests it every few seconds: logs need not show that it succeeds. */
  readonly isHealthCheck?: boolean;
  /** Format of rate limit errors: the NACK that sellers understand. Default: problem details. */
  readonly refusal?: 'nack';
}

/** A JSON read without a parameter in its path. `query` is the query of the URL. */
export type Read = (member: Member, query: string) => ResultAsync<ServiceResponse, Failure>;

export interface Route<Use, Settings = unknown, State = unknown> extends RouteFacts {
  /** Called once when the routes are mounted. The returned function is called for each request. */
  readonly handle: (use: Use, settings: Settings) => (ctx: RouterContext<State>) => void | Promise<void>;
  /** Set by `readRoute`: the use case of a route that is also a part of `GET /me`. */
  readonly read?: (use: Use) => Read;
}

/** The routes of one resource and the schemas that their operations reference. */
export interface RouteGroup<Use, Settings = unknown, State = unknown> {
  /** A built-in service: the routes are served only if its use cases are present. Or a service of your own. */
  readonly service?: Service;
  /** Whether the routes compose the reads of the other groups. They are served only if there is a read. */
  readonly composesReads?: boolean;
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly routes: readonly Route<Use, Settings, State>[];
}

/** `ctx.state` of a member route. `body` and `mediaType` are set only if the route has a body. */
export interface MemberState {
  readonly member: Member;
  readonly body: Json;
  readonly mediaType: ProfilePatch['mediaType'];
}

/** What the handler of `GET /me` needs. */
export interface MemberHandlerSettings {
  readonly parts: readonly PartRead[];
  readonly memberLimiter?: RateLimiter | undefined;
  readonly onRateLimited?: OnRateLimited | undefined;
}

export type MemberRoutes = RouteGroup<UseCases, MemberHandlerSettings, MemberState>;

export type MemberRoute = MemberRoutes['routes'][number];

/** What the OpenAPI document needs of a group. */
export type Grouped = Omit<MemberRoutes, 'routes'> & {
  readonly routes: readonly (RouteFacts & { readonly read?: unknown })[];
};

/** The groups of these services, those that belong to no service, and `own`: those of services of your own. */
export const groupsOf = <Group extends Grouped>(
  groups: readonly Group[],
  services: readonly Service[],
  own: readonly Group[] = [],
): readonly Group[] => {
  const served = [...groups.filter(({ service }) => service === undefined || services.includes(service)), ...own];
  const hasReads = served.some(({ routes }) => routes.some(({ read }) => read !== undefined));
  return hasReads ? served : served.filter(({ composesReads = false }) => !composesReads);
};

interface SearchState {
  readonly body: Json;
}

/** How a leg of a search ended. Contains no private data. */
export interface LegReport {
  /** The id of the leg. */
  readonly leg: string;
  /**
   * `seller-error`: every seller that responded sent an error. `unreachable`: the network refused the search, or could
   * not be reached. `cancelled`: the client disconnected.
   */
  readonly outcome: 'delivered' | 'seller-error' | 'unreachable' | 'timeout' | 'cancelled';
  /** The number of sellers that sent an error instead of a catalog. */
  readonly sellerErrors: number;
  /** Milliseconds from the start of the search. */
  readonly durationMs: number;
}

export interface SearchHandlerSettings {
  readonly maxUnsentBytes: number;
  readonly onLeg?: ((report: LegReport) => void) | undefined;
}

export type SearchRoutes = RouteGroup<SearchUseCases, SearchHandlerSettings, SearchState>;

export interface CallbackSettings {
  readonly maxCallbackBytes: number;
  readonly gate: CallbackGate;
  readonly version?: string | undefined;
}

export type CallbackRoutes = RouteGroup<SearchUseCases, CallbackSettings>;

export const routesOf = (groups: readonly { readonly routes: readonly RouteFacts[] }[]): readonly RouteFacts[] =>
  groups.flatMap(({ routes }) => routes);

/** Whether a path belongs to the member API: `/me` and all paths below it, with or without a route. */
export const isMemberPath = (path: string): boolean => path === '/me' || path.startsWith('/me/');

/** Whether a path belongs to browser sessions (contract, section 11), which run as middleware before the routes. */
export const isSessionPath = (path: string): boolean => path === sessionPath || path.startsWith(`${sessionPath}/`);

/** Returns a predicate for the paths of these routes, which must not have parameters. */
export const isPathOf = (routes: readonly RouteFacts[]): ((path: string) => boolean) => {
  const paths = new Set<string>(routes.map(({ path }) => path));
  return (path) => paths.has(path);
};
