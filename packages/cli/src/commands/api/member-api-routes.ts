import {
  type AnyOwnUseCase,
  builtInRoutes,
  type DocumentResponse,
  type Failure,
  hasService,
  type Json,
  type Member,
  noContent,
  parseRoute,
  type RouteKey,
  type ServiceName,
  type ServiceUseCases,
  type Signal,
  type SomeUseCases,
} from '@portico/core';
import { fromThrowable, type ResultAsync } from 'neverthrow';

/** The parts of a request to a member route. */
export interface RouteRequest {
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly body?: Json;
  readonly signal: Signal;
}

/** A response, and the service that it comes from. */
export interface ApiResponse {
  readonly response: Json | DocumentResponse;
  readonly service: string;
}

type Response = ResultAsync<Json | DocumentResponse, Failure>;

/** A member route, and the call of its use case. */
export interface MemberRoute {
  readonly key: RouteKey;
  readonly service: string;
  /** Media type of the response. Default: JSON. */
  readonly type?: string;
  /** Undefined when the service is not configured. */
  readonly call: ((member: Member, request: RouteRequest) => Response) | undefined;
}

type BuiltInRoute = (typeof builtInRoutes)[number];
type UseCaseCall<Use> = (use: Use, member: Member, request: RouteRequest) => Response;

const of =
  <Name extends ServiceName>(service: Name, call: UseCaseCall<ServiceUseCases[Name]>) =>
  (key: RouteKey, use: SomeUseCases): MemberRoute => ({
    key,
    service,
    call: hasService(use, service) ? (member, request) => call(use, member, request) : undefined,
  });

const builtIn = {
  'GET /me/coverage': of('eligibility', (use, member) => use.getCoverage(member)),
  'GET /me/accumulators': of('eligibility', (use, member) => use.getAccumulators(member)),
  'GET /me/claims': of('claims', (use, member, { query }) => use.listClaims(member, query)),
  'POST /me/claims': of('claims', (use, member, { body = noContent }) =>
    use.submitClaim(member, body).map(({ claim }) => claim),
  ),
  'GET /me/claims/{locator}': of('claims', (use, member, { parameters }) =>
    use.getClaim(member, locatorIn(parameters)),
  ),
  'GET /me/documents': of('documents', (use, member, { query }) => use.listDocuments(member, query)),
  'GET /me/documents/{locator}': of('documents', (use, member, { parameters, signal }) =>
    use.getDocument(member, locatorIn(parameters), {}, signal),
  ),
  'GET /me/profile': of('policy', (use, member) => use.getProfile(member)),
  'PATCH /me/profile': of('policy', (use, member, { body = noContent }) => use.patchProfile(member, body)),
  'GET /me/preferences': of('notifications', (use, member) => use.getPreferences(member)),
  'PUT /me/preferences': of('notifications', (use, member, { body = noContent }) => use.putPreferences(member, body)),
  'GET /me/notifications': of('notifications', (use, member, { query }) => use.listNotifications(member, query)),
  'GET /me/notifications/log': of('notifications', (use, member, { query }) => use.readNotificationLog(member, query)),
  'GET /me/consent': of('consent', (use, member) => use.getConsent(member)),
  'PUT /me/consent': of('consent', (use, member, { body = noContent }) => use.putConsent(member, body)),
} as const satisfies Record<BuiltInRoute, ReturnType<typeof of>>;

const locatorIn = ({ locator = '' }: RouteRequest['parameters']): string => locator;

/** Every member route: the built-in ones, also of services that are not configured, and those of your own services. */
export const memberApiRoutes = (use: SomeUseCases): readonly MemberRoute[] => [
  ...builtInRoutes.map((key) => builtIn[key](key, use)),
  ...(use.services ?? []).flatMap(({ declaration, useCases }) =>
    Object.entries(declaration.operations).map(([name, { route, type }]): MemberRoute => ({
      key: route,
      type,
      service: declaration.name,
      call: (member, request) => (useCases[name] as AnyOwnUseCase)(member, request),
    })),
  ),
];

/** The routes whose path matches, with the decoded parameters. The core checks the values. */
export const routesAt = <Route extends Pick<MemberRoute, 'key'>>(
  routes: readonly Route[],
  path: string,
): readonly { readonly route: Route; readonly parameters: Readonly<Record<string, string>> }[] =>
  routes.flatMap((route) => {
    const parameters = parametersOf(parseRoute(route.key).path, path);
    return parameters ? [{ route, parameters }] : [];
  });

const parametersOf = (template: string, path: string): Readonly<Record<string, string>> | undefined => {
  const [expected, given] = [template.split('/'), path.split('/')];
  const names = expected.map((segment) => /^\{(\w+)\}$/.exec(segment)?.[1]);
  return expected.length === given.length && names.every((name, at) => name !== undefined || expected[at] === given[at])
    ? Object.fromEntries(names.flatMap((name, at) => (name === undefined ? [] : [[name, decoded(given[at] ?? '')]])))
    : undefined;
};

/** A wrong encoding stays as it is: the rule of locators allows no percent sign. */
const decoded = (segment: string): string => fromThrowable(decodeURIComponent)(segment).unwrapOr(segment);
