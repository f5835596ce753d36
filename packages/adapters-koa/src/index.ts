export { recordProblem, recordRoute, type ReportedProblem, type RequestReport } from './request/request-report.ts';
export type { DpopSettings } from './response/challenge.ts';
export { authentication } from './middleware/authentication.ts';
export { type BodyLimits, jsonBody } from './middleware/json-body.ts';
export { sendFailure } from './response/problem.ts';
export { sendJson } from './response/reply.ts';
export type { OnError } from './middleware/error-report.ts';
export { MountError } from './request/mount-error.ts';
export { type MemberListener, memberListener, type MemberListenerSettings } from './mounting/member-listener.ts';
export { type MemberRouteSettings, memberRoutes, servedMemberRoutes } from './mounting/member-routes.ts';
export {
  type CallbackRouteSettings,
  callbackRoutes,
  type SearchRouteSettings,
  searchRoutes,
} from './mounting/search-routes.ts';
export { openApiDocument, type OpenApiSettings } from './mounting/openapi-document.ts';
export type { OpenApiDocument } from './openapi/format.ts';
export { errorCodes } from './openapi/problems.ts';
export { openApiRoutes } from './mounting/openapi-routes.ts';
export { pagesProblem } from './web-app/page-files.ts';
export type { PagesSettings } from './web-app/pages.ts';
export type { OnRateLimited } from './middleware/rate-limit.ts';
export { type Role, type RouteTable, routeTable } from './routes/table.ts';
export { type LegReport, routesOf } from './routing/route.ts';
export { publicLeg } from './routes/health.ts';
export type { CallbackGateSettings } from './request/callback-gate.ts';
export type { ServerTls } from './server/web-server.ts';
export type { ConnectionLimits } from './server/connections.ts';
export { drain } from './server/draining.ts';
export type { HttpServer } from './server/http-server.ts';
export { type ServerRole } from './request/server-defaults.ts';
export { createServer, type ServedUseCases, type ServerSettings } from './server/server.ts';
