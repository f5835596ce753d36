export type * from './routes/bodies.ts';
export type {
  DownloadCalls,
  JsonOf,
  MemberCalls,
  MemberPage,
  MemberPageCalls,
  MemberPageRequest,
  MemberPageStream,
  MemberPart,
  SearchCalls,
  SearchJson,
  SearchStream,
} from './calls.ts';
export { clientDefaults, porticoClient, type PorticoClient, type PorticoClientSettings } from './client.ts';
export { DocumentInterruptedError } from './documents.ts';
export { type ClientFailure, isUnauthenticated } from './failures/failure.ts';
export type { MemberPath, MemberRequest, MemberRoutes, MemberStream, MemberWrite } from './routes/member-routes.ts';
export type { ServiceCalls } from './routes/service-calls.ts';
export type { SessionCalls, SessionStatus } from './session.ts';
export { orThrow, PorticoError } from './failures/or-throw.ts';
