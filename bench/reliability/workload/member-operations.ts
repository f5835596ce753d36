import type { DownstreamName } from '@portico/adapters-http';
import { type HasBreaker, serviceOutcome } from '../oracle/expectations.ts';
import { describe, type Response, send } from './client.ts';
import type { Member } from './members.ts';
import type { OperationKind } from './operation.ts';

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

/** A successful response names the member whose data it carries. */
const describeFor = ({ locator }: Member, response: Response | string, service: string): string => {
  const isSuccess = typeof response !== 'string' && response.status < 300;
  const isOwn = isSuccess && response.text.startsWith(`{"member":"${locator}"`);
  return describe(response, service) + (isSuccess && !isOwn ? ' with data of another member' : '');
};

export const memberOperations = (members: readonly Member[], hasBreaker: HasBreaker) => {
  const memberOf = (nth: number): Member => members[nth % members.length]!;

  const json =
    (routes: readonly Route[]): OperationKind =>
    (nth) => {
      const [service, route, body] = routes[nth % routes.length]!;
      const member = memberOf(nth);
      const { token } = member;
      return {
        title: route,
        service,
        run: async (client) =>
          describeFor(member, await send(client, route, { token, body: body && JSON.stringify(body) }), service),
        isExpected: serviceOutcome(service, route.startsWith('POST') ? '201' : '200', hasBreaker),
      };
    };

  const download =
    (kibibytes: number, cancelAtFirstBytes = false): OperationKind =>
    (nth) => {
      const [title, usual] = cancelAtFirstBytes ? ['cancelled', 'cancelled'] : ['download', '200'];
      const { token, locator } = memberOf(nth);
      const expected = serviceOutcome('documents', usual, hasBreaker, 'pdf');
      return {
        title: `PDF of ${kibibytes} KiB, ${title}`,
        service: 'documents',
        run: async (client) => {
          const response = await send(client, `GET /me/documents/DOC-${kibibytes}`, { token, cancelAtFirstBytes });
          if (typeof response === 'string' || response.status !== 200) return describe(response, 'documents');
          const isWhole = response.bytes === kibibytes * 1024 && response.text.startsWith(`%PDF-1.7 ${locator}\n`);
          return isWhole ? '200' : '200 with the wrong document';
        },
        // The download may be cancelled before the service closes the connection.
        isExpected: (outcome, ...when) =>
          expected(outcome, ...when) ||
          (cancelAtFirstBytes && outcome === 'cancelled' && expected('connection closed', ...when)),
      };
    };

  return { reads: json(reads), writes: json(writes), download };
};
