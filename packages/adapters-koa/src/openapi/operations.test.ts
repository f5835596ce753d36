import { describe, expect, it } from 'vitest';
import { fullDocument, validatorOf } from './document.test.support.ts';
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
  if (/^\/me(?:\/|$)/.test(path)) return [{ bearer: [] }];
  return path === '/on_search' || path === '/on_discover' ? [{}, { signature: [] }] : [];
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

  it('references the recommended schema of each relayed response directly, so that generators make a type', () => {
    const relayed = bodies.flatMap(({ response, type, schema }) =>
      response.includes(' /me/') && type === 'application/json'
        ? [`${response}: ${schema?.$ref?.replace('#/components/schemas/', '')}`]
        : [],
    );
    expect(relayed).toEqual([
      'GET /me/coverage 200: Coverage',
      'GET /me/accumulators 200: Accumulators',
      'GET /me/claims 200: ClaimList',
      'POST /me/claims 201: Claim',
      'POST /me/claims 202: Claim',
      'GET /me/claims/{locator} 200: Claim',
      'GET /me/documents 200: DocumentList',
      'GET /me/profile 200: Profile',
      'PATCH /me/profile 200: Profile',
      'GET /me/preferences 200: StoredPreferences',
      'PUT /me/preferences 200: StoredPreferences',
      'GET /me/notifications 200: NotificationList',
      'GET /me/notifications/log 200: NotificationLog',
      'GET /me/consent 200: ConsentState',
      'PUT /me/consent 200: ConsentState',
    ]);
  });

  it('requires no field and allows other fields in relayed bodies, because services decide what they return', () => {
    const names = new Set(
      bodies.flatMap(({ response, schema }) =>
        response.includes(' /me/') && schema?.$ref !== '#/components/schemas/Problem' ? [schema?.$ref ?? ''] : [],
      ),
    );
    const referenced = [...names].filter((name) => name !== '');
    const strict = referenced.filter((name) => !validatorOf({ $ref: name as `#/components/schemas/` })({ other: 1 }));
    expect([referenced.length, strict]).toEqual([10, []]);
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
