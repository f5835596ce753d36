export type * from './routes/bodies.ts';
export type { DownloadCalls, SearchStream, JsonOf, MemberCalls, SearchCalls, SearchJson } from './calls.ts';
export { porticoClient, type PorticoClient, type PorticoClientSettings } from './client.ts';
export { DocumentInterruptedError } from './documents.ts';
export type { ClientFailure } from './failure.ts';
export type { MemberPath, MemberRequest, MemberRoutes, MemberStream, MemberWrite } from './routes/member-routes.ts';
export type { ServiceCalls } from './routes/service-calls.ts';
export { orThrow, PorticoError } from './or-throw.ts';
