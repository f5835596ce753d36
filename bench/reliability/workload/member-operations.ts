import type { DownstreamName } from '@portico/adapters-http';
import { serviceOutcomes } from '../oracle/expectations.ts';
import type { Identities } from './members.ts';
import { type OperationKind, operation } from './operation.ts';

type Route = readonly [DownstreamName, route: string, body?: object];

const reads: readonly Route[] = [
  ['eligibility', 'GET /me/coverage'],
  ['eligibility', 'GET /me/accumulators'],
  ['claims', 'GET /me/claims'],
  ['claims', 'GET /me/claims/CLM-1'],
  ['documents', 'GET /me/documents'],
  ['policy', 'GET /me/profile'],
  ['notifications', 'GET /me/preferences'],
  ['notifications', 'GET /me/notifications'],
  ['notifications', 'GET /me/notifications/log'],
  ['consent', 'GET /me/consent'],
];

const flags = { email: true, sms: false, push: true, claimsUpdates: true, billingAlerts: false };

const writes: readonly Route[] = [
  ['claims', 'POST /me/claims', { type: 'professional', amount: '120.00' }],
  ['policy', 'PATCH /me/profile', { preferredName: 'Sample' }],
  ['notifications', 'PUT /me/preferences', { ...flags, enrollmentReminders: true }],
  ['consent', 'PUT /me/consent', { consents: [] }],
];

/** `breakers` are the services whose circuit breaker can open. */
export const memberOperations = (members: Identities['members'], breakers: readonly string[]) => {
  const json =
    (routes: readonly Route[]): OperationKind =>
    (nth) => {
      const [service, route, body] = routes[nth % routes.length]!;
      const { token, locator } = members[nth % members.length]!;
      const usual = route.startsWith('POST') ? '201' : '200';
      const allowed = serviceOutcomes(service, usual, breakers.includes(service), 'json');
      return operation(route, route, allowed, {
        service,
        token,
        body: body && JSON.stringify(body),
        // A successful response names the member whose data it carries.
        describe: ({ status, text }) =>
          text.startsWith(`{"member":"${locator}"`) ? String(status) : `${status} with data of another member`,
      });
    };

  const download =
    (kibibytes: number, cancelEarly = false): OperationKind =>
    (nth) => {
      const [title, usual] = cancelEarly ? ['cancelled', 'cancelled'] : ['download', '200'];
      const { token, locator } = members[nth % members.length]!;
      const allowed = serviceOutcomes('documents', usual, breakers.includes('documents'), 'pdf');
      return operation(`PDF of ${kibibytes} KiB, ${title}`, `GET /me/documents/DOC-${kibibytes}`, allowed, {
        service: 'documents',
        token,
        cancelEarly,
        describe: ({ status, text }) => {
          const isWhole = text.length === kibibytes * 1024 && text.startsWith(`%PDF-1.7 ${locator}\n`);
          return isWhole ? String(status) : `${status} with the wrong document`;
        },
      });
    };

  return { reads: json(reads), writes: json(writes), download };
};
