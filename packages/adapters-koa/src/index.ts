export type { AnswerReport } from './answer-report.ts';
export { type MemberRouteSettings, memberRoutes } from './member-routes.ts';
export { type CallbackRouteSettings, callbackRoutes, type SearchRouteSettings, searchRoutes } from './search-routes.ts';
export { holdsPages, type PagesSettings } from './pages.ts';
export { publicLeg } from './routes/health.ts';
export { createServer, drain, type ServedUseCases, type ServerRole, type ServerSettings } from './server.ts';
