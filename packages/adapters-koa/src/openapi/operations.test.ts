import { describe, expect, it } from 'vitest';
import { everything } from './document.test.support.ts';
import type { Response } from './format.ts';
import { operations } from './operations.test.support.ts';
import { resolved } from './reference.ts';

/** Every answer with a body: whose, with which status, and what is said of each media type. */
const bodies = operations.flatMap(({ route, operation }) =>
  Object.entries(operation.responses).flatMap(([status, response]) =>
    Object.entries(resolved<Response>(response, everything.components.responses).content ?? {}).map(
      ([type, { schema }]) => ({ answer: `${route} ${status}`, type, schema }),
    ),
  ),
);

const securityOf = (path: string) => {
  if (path.startsWith('/me/')) return [{ bearer: [] }];
  return path.startsWith('/on_search') ? [{}, { signature: [] }] : undefined;
};

describe('every documented operation', () => {
  it.each(operations)('asks for what lets the caller in, and for nothing else: $route', ({ path, operation }) => {
    expect(operation.security).toEqual(securityOf(path));
  });

  it.each(operations)('says by which header its 304, 206 and 416 come about: $route', ({ operation, parameters }) => {
    const takes = (header: string) => parameters.some(({ name, in: place }) => name === header && place === 'header');
    expect([takes('If-None-Match'), takes('Range'), takes('Range')]).toEqual(
      [304, 206, 416].map((status) => status in operation.responses),
    );
  });

  it('relays an answer of its own shape', () => {
    const relayed = bodies.flatMap(({ answer, schema }) =>
      schema?.anyOf
        ? [`${answer}: ${schema.anyOf.map(({ $ref }) => $ref?.split('/').at(-1) ?? 'any').join(' or ')}`]
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

  it('says nothing of bytes that are no text: a generator would take them for a string', () => {
    const bytes = bodies.filter(({ type }) => !/^text\/|[/+]json$/.test(type));
    expect(bytes).toEqual(
      [200, 206].map((status) => ({
        answer: `GET /me/documents/{locator} ${status}`,
        type: 'application/pdf',
        schema: undefined,
      })),
    );
  });
});
