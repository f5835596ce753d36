export type { DownloadCalls, HeardSearch, MemberCalls, SearchCalls, SearchJson } from './calls.ts';
export { porticoClient, type PorticoClient, type PorticoClientSettings } from './client.ts';
export { DocumentBrokeOff } from './documents.ts';
export type { ClientFailure } from './failure.ts';
