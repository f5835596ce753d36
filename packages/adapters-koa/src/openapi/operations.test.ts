import { describe, expect, it } from 'vitest';
import { fullDocument } from './document.test.support.ts';
import type { Response } from './format.ts';
import { operations } from './operations.test.support.ts';
import { resolved } from './reference.ts';

/** Every response with a body: its operation and status, media type and schema. */
const bodies = operations.flatMap(({ route, operation }) =>
  Object.entries(operation.responses).flatMap(([status, response]) =>
    Object.entries(resolved<Response>(response, fullDocument.components.responses).content ?? {}).map(
      ([type, { schema }]) => ({ response: `${route} ${status}`, type, schema }),
    ),
  ),
);

const securityOf = (path: string) => {
  if (path.startsWith('/me/')) return [{ bearer: [] }];
  return path.startsWith('/on_search') ? [{}, { signature: [] }] : undefined;
};

describe('documented operations', () => {
  it.each(operations)('declares exactly the required credentials: $route', ({ path, operation }) => {
    expect(operation.security).toEqual(securityOf(path));
  });

  it.each(operations)(
    'declares the request headers that lead to 304, 206 and 416: $route',
    ({ operation, parameters }) => {
      const takes = (header: string) => parameters.some(({ name, in: place }) => name === header && place === 'header');
      expect([takes('If-None-Match'), takes('Range'), takes('Range')]).toEqual(
        [304, 206, 416].map((status) => status in operation.responses),
      );
    },
  );

  it('recommends a schema for each relayed response', () => {
    const relayed = bodies.flatMap(({ response, schema }) =>
      schema?.anyOf
        ? [`${response}: ${schema.anyOf.map(({ $ref }) => $ref?.split('/').at(-1) ?? 'any').join(' or ')}`]
        : [],
    );
    expect(relayed).toEqual([
      'GET /me/coverage 200: Coverage or any',
      'GET /me/accumulators 200: Accumulators or any',
      'GET /me/claims 200: ClaimList or any',
      'POST /me/claims 201: Claim or any',
      'POST /me/claims 202: Claim or any',
      'GET /me/claims/{locator} 200: Claim or any',
      'GET /me/documents 200: DocumentList or any',
      'GET /me/profile 200: Profile or any',
      'PATCH /me/profile 200: Profile or any',
      'GET /me/preferences 200: StoredPreferences or any',
      'PUT /me/preferences 200: StoredPreferences or any',
      'GET /me/notifications 200: NotificationList or any',
      'GET /me/notifications/log 200: NotificationLog or any',
      'GET /me/consent 200: ConsentState or any',
      'PUT /me/consent 200: ConsentState or any',
    ]);
  });

  it('declares no schema for binary bodies, which a generator would turn into a string', () => {
    const bytes = bodies.filter(({ type }) => !/^text\/|[/+]json$/.test(type));
    expect(bytes).toEqual(
      [200, 206].map((status) => ({
        response: `GET /me/documents/{locator} ${status}`,
        type: 'application/pdf',
        schema: undefined,
      })),
    );
  });
});
