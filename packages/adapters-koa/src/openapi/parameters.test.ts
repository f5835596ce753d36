import { fakePorts } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { fullDocument } from './document.test.support.ts';
import { operations } from './operations.test.support.ts';
import { routes, servePortal } from '../server/portal.test.support.ts';

/** The query parameters of lists, each with a recognizable value. */
const inQuery = Object.fromEntries(
  ['page', 'pageSize', 'limit', 'cursor', 'offset', 'sort', 'status', 'type', 'from', 'to'].map((name) => [
    name,
    `~${name}~`,
  ]),
);

/** The idempotency key and the conditional request headers (RFC 9110, sections 13 and 14). */
const inHeader = {
  'Idempotency-Key': 'a-key',
  'If-Match': '"1", W/"match"',
  'If-Modified-Since': 'Wed, 18 Nov 2026 10:00:00 GMT',
  'If-None-Match': 'W/"none-match"',
  'If-Range': 'W/"range"',
  Range: 'bytes=0-3',
};

type Operations = Readonly<Record<string, (...parameters: readonly unknown[]) => unknown>>;

/** Sends a request with every parameter and returns those that reached the service. */
const forwardedParameters = async ([method, path, service, operation, body]: (typeof routes)[number]) => {
  const fake = fakePorts()[service] as unknown as Operations;
  let received = '';
  const port = {
    ...fake,
    [operation]: (...values: readonly unknown[]) => {
      received = JSON.stringify(values);
      return fake[operation]!(...values);
    },
  };
  const portal = await servePortal({ ports: { [service]: port } });
  const query = new URLSearchParams(inQuery).toString();
  const { 'If-Match': ifMatch, 'If-None-Match': ifNoneMatch, ...others } = inHeader;
  // With If-Match, a range is ignored; a write with If-None-Match is refused.
  const headers = method === 'GET' ? { ...others, 'If-None-Match': ifNoneMatch } : { ...others, 'If-Match': ifMatch };
  const { status } = await portal.request(method, `${path}?${query}`, { headers, ...(body && { body }) });
  expect(status).toBeLessThan(300);
  return Object.entries({ query: inQuery, header: inHeader }).flatMap(([place, values]) =>
    Object.entries(values)
      .filter(([, value]) => received.includes(JSON.stringify(value)))
      .map(([name]) => `${name} in ${place}`),
  );
};

const documentedFor = (method: string, path: string) =>
  operations
    .find(({ route }) => route === `${method} ${path.replace(/CLM-1|DOC-1/, '{locator}')}`)!
    .parameters.filter(({ in: place }) => place !== 'path');

describe('documented parameters', () => {
  it.each(routes.map((route) => ({ route, name: `${route[0]} ${route[1]}` })))(
    'documents exactly the parameters that are forwarded to the service: $name',
    async ({ route }) => {
      const documented = documentedFor(route[0], route[1]).map(({ name, in: place }) => `${name} in ${place}`);
      expect(documented.toSorted()).toEqual(
        [...(await forwardedParameters(route)), 'X-Request-Id in header'].toSorted(),
      );
    },
  );

  it.each(routes)(
    'rejects undocumented query parameters of lists and ignores the query of other routes: %s %s',
    async (...route) => {
      const [method, path, , , body] = route;
      const isList = documentedFor(method, path).some(({ in: place }) => place === 'query');
      const { status } = await (
        await servePortal()
      ).request(method, `${path}?nothing=1`, body === undefined ? {} : { body });
      expect(status === 400).toBe(isList);
    },
  );

  it.each(operations)('documents X-Request-Id: $route', ({ parameters }) => {
    expect(parameters.filter(({ name }) => name === 'X-Request-Id')).toEqual([
      fullDocument.components.parameters['X-Request-Id'],
    ]);
  });
});
