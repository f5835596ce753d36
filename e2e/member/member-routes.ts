import type { DownstreamName } from '@portico/adapters-http';
import { somePreferences } from '@portico/core/testing';

/** A member route, with a request of member A. */
export interface MemberRoute {
  readonly service: DownstreamName;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export const memberRoutes: readonly MemberRoute[] = [
  { service: 'eligibility', method: 'GET', path: '/me/coverage' },
  { service: 'eligibility', method: 'GET', path: '/me/accumulators' },
  { service: 'claims', method: 'GET', path: '/me/claims' },
  { service: 'claims', method: 'POST', path: '/me/claims', body: { type: 'professional', amount: '120.00' } },
  { service: 'claims', method: 'GET', path: '/me/claims/CLM-1001-01' },
  { service: 'documents', method: 'GET', path: '/me/documents' },
  { service: 'documents', method: 'GET', path: '/me/documents/DOC-EOB-1001-05' },
  { service: 'policy', method: 'GET', path: '/me/profile' },
  { service: 'policy', method: 'PATCH', path: '/me/profile', body: { preferredName: 'Sample' } },
  { service: 'notifications', method: 'GET', path: '/me/preferences' },
  { service: 'notifications', method: 'PUT', path: '/me/preferences', body: somePreferences },
  { service: 'consent', method: 'GET', path: '/me/consent' },
  { service: 'consent', method: 'PUT', path: '/me/consent', body: { consents: [] } },
  { service: 'notifications', method: 'GET', path: '/me/notifications' },
  { service: 'notifications', method: 'GET', path: '/me/notifications/log' },
];

export const requestOf = ({ method, body }: MemberRoute): RequestInit => ({
  method,
  ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
});
