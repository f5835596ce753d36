export { type MemberRouteSettings, memberRoutes } from './member-routes.ts';
export { createServer, drain, type ServerSettings } from './server.ts';
