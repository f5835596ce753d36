import { fakePorts } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { everything, validatorOf } from './document.test.support.ts';
import { operations } from './operations.test.support.ts';
import { routes, servePortal } from '../server/portal.test.support.ts';

/** What lists may be asked for; each with a value by which it is known again. */
const inQuery = Object.fromEntries(
  ['page', 'pageSize', 'limit', 'cursor', 'offset', 'sort', 'status', 'type', 'from', 'to'].map((name) => [
    name,
    `~${name}~`,
  ]),
);

/** The key of a claim, and what a request may say of its conditions (RFC 9110, sections 13 and 14). */
const inHeader = {
  'Idempotency-Key': 'a-key',
  'If-Match': '"1", W/"match"',
  'If-Modified-Since': 'Wed, 18 Nov 2026 10:00:00 GMT',
  'If-None-Match': 'W/"none-match"',
  'If-Range': 'W/"range"',
  'If-Unmodified-Since': 'Wed, 18 Nov 2026 11:00:00 GMT',
  Range: 'bytes=0-3',
};

type Operations = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;

/** Asks with every parameter there is, and gives those that the service was told of. */
const reaching = async ([method, path, service, operation, body]: (typeof routes)[number]) => {
  const fake = fakePorts()[service] as unknown as Operations;
  let told = '';
  const port = {
    ...fake,
    [operation]: (...given: readonly unknown[]) => {
      told = JSON.stringify(given);
      return fake[operation]!(...given);
    },
  };
  const portal = await servePortal({ ports: { [service]: port } });
  const query = new URLSearchParams(inQuery).toString();
  const { status } = await portal.ask(method, `${path}?${query}`, { headers: inHeader, ...(body && { body }) });
  expect(status).toBeLessThan(300);
  return Object.entries({ query: inQuery, header: inHeader }).flatMap(([place, values]) =>
    Object.entries(values)
      .filter(([, value]) => told.includes(JSON.stringify(value)))
      .map(([name]) => `${name} in ${place}`),
  );
};

const documentedFor = (method: string, path: string) =>
  operations
    .find(({ route }) => route === `${method} ${path.replace(/CLM-1|DOC-1/, '{locator}')}`)!
    .parameters.filter(({ in: place }) => place !== 'path');

describe('the documented parameters of a route', () => {
  it.each(routes.map((route) => ({ route, name: `${route[0]} ${route[1]}` })))(
    'are those that its service is told of: $name',
    async ({ route }) => {
      const documented = documentedFor(route[0], route[1]).map(({ name, in: place }) => `${name} in ${place}`);
      expect(documented.toSorted()).toEqual([...(await reaching(route)), 'X-Request-Id in header'].toSorted());
    },
  );

  it.each(routes)('are all that it takes in a query, or it passes over every query: %s %s', async (...route) => {
    const [method, path, , , body] = route;
    const isList = documentedFor(method, path).some(({ in: place }) => place === 'query');
    const { status } = await (await servePortal()).ask(method, `${path}?nothing=1`, body === undefined ? {} : { body });
    expect(status === 400).toBe(isList);
  });

  it.each(operations)('let the caller name the request: $route', ({ parameters }) => {
    expect(parameters.filter(({ name }) => name === 'X-Request-Id')).toEqual([
      everything.components.parameters['X-Request-Id'],
    ]);
  });
});

describe('the id that a caller gives its request', () => {
  it.each([
    ['15 digits', '0'.repeat(15)],
    ['16 digits', '0'.repeat(16)],
    ['64 digits', 'f'.repeat(64)],
    ['65 digits', 'f'.repeat(65)],
    ['capitals and hyphens', 'ABCDEF-012345-9a'],
    ['a letter too many', 'g'.repeat(16)],
    ['a blank', '01234567 89abcdef'],
  ])('is kept when it is as documented: %s', async (_, given) => {
    const { headers } = await (await servePortal()).ask('GET', '/me/coverage', { headers: { 'x-request-id': given } });
    const { schema } = everything.components.parameters['X-Request-Id']!;
    expect(headers['x-request-id'] === given).toBe(validatorOf(schema)(given));
  });
});
