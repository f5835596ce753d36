import { createUseCases } from '@portico/core';
import { fakePorts, fakeRateLimiter } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import type { RequestReport } from '../request/request-report.ts';
import { openApiDocument } from '../mounting/openapi-document.ts';
import { claimsOperations } from '../openapi/operations/claims.openapi.ts';
import { drain } from '../server/draining.ts';
import { listening, send } from '../server/portal.test.support.ts';
import { clientOf, searchFakes } from '../server/search.test.support.ts';
import { createServer, type ServerSettings } from '../server/server.ts';
import { sendJson } from '../response/reply.ts';
import type { MemberRoutes } from '../routing/route.ts';
import { type RouteTable, routeTable } from './table.ts';
import { routesOf } from '../routing/route.ts';

/** A route that exists nowhere else. */
const extra: MemberRoutes = {
  schemas: {},
  routes: [
    {
      method: 'GET',
      path: '/me/visits/{locator}',
      operation: { ...claimsOperations.getClaim, operationId: 'getVisit' },
      handle: () => (ctx) =>
        sendJson(ctx, { text: JSON.stringify({ visit: ctx.params['locator'], of: ctx.state.member.locator }) }, 200),
    },
    {
      method: 'POST',
      path: '/me/visits',
      operation: { ...claimsOperations.submitClaim, operationId: 'submitVisit' },
      body: ['application/json'],
      handle: () => (ctx) => sendJson(ctx, { text: ctx.state.body.text }, 200),
    },
  ],
};

const table: RouteTable = { ...routeTable, member: [...routeTable.member, extra] };

/** The added routes are not in the OpenAPI document, so no response is checked against it. */
const isForeign = () => true;

/** A server with the added routes. */
const serving = async (settings: ServerSettings = {}) => {
  const fakes = fakePorts();
  const search = searchFakes();
  const reports: RequestReport[] = [];
  const server = createServer(
    { ...createUseCases(fakes), ...search.use },
    { onResponse: (report) => void reports.push(report), ...settings },
    table,
  );
  const port = await listening(server, { isForeign });
  const headers = { authorization: `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}` };
  return { server, port, headers, reports, search };
};

describe('route added to the table', () => {
  it('serves an added route for the member in the token, with and without a path parameter', async () => {
    const { port, headers } = await serving();
    expect((await send(port, 'GET', '/me/visits/V-1', { headers })).json).toEqual({ visit: 'V-1', of: 'PTY-1' });
    expect((await send(port, 'GET', '/me/visits/V-1')).status).toBe(401);
    const body = '{ "n": 1.50 }';
    const json = { ...headers, 'content-type': 'application/json' };
    expect((await send(port, 'POST', '/me/visits', { headers: json, body })).text).toBe(body);
  });

  it('accepts bodies of the media types of an added route up to the limit', async () => {
    const { port, headers } = await serving({ maxRequestBytes: 5 });
    const post = (type: string, body: string) =>
      send(port, 'POST', '/me/visits', { headers: { ...headers, 'content-type': type }, body });
    expect((await post('text/plain', '{}')).status).toBe(415);
    expect((await post('application/json', '{"a":1}')).status).toBe(413);
  });

  it('returns 405 for other methods of an added route', async () => {
    const { port, headers } = await serving();
    for (const [method, path, allow] of [
      ['POST', '/me/visits/V-1', 'GET, HEAD'],
      ['GET', '/me/visits', 'POST'],
    ] as const) {
      const response = await send(port, method, path, { headers });
      expect([response.status, response.headers['allow']]).toEqual([405, allow]);
    }
  });

  it('applies both rate limits to an added route', async () => {
    const none = fakeRateLimiter({ requests: 0 });
    for (const settings of [{ memberLimiter: none }, { addressLimiter: none }]) {
      const { port, headers } = await serving(settings);
      expect((await send(port, 'GET', '/me/visits/V-1', { headers })).status).toBe(429);
    }
  });

  it('reports the template of an added route', async () => {
    const { port, headers, reports } = await serving();
    await send(port, 'GET', '/me/visits/V-1', { headers });
    await send(port, 'POST', '/me/visits', { headers });
    await expect.poll(() => reports.map(({ route }) => route)).toEqual(['/me/visits/:locator', '/me/visits']);
  });

  it('refuses requests to an added route while draining', async () => {
    const { server, port, headers, search } = await serving();
    const response = clientOf(port).search();
    await search.posted(2);
    const drained = drain(server);
    expect((await send(port, 'GET', '/me/visits/V-1', { headers })).status).toBe(503);
    search.clock.advance(10_000);
    await response;
    await drained;
  });

  it('allows pages of other origins to send the methods of the routes', async () => {
    const origin = 'https://app.example';
    const headers = { origin, 'access-control-request-method': 'GET' };
    const methodsOf = async (served: RouteTable) => {
      const server = createServer(createUseCases(fakePorts()), { corsOrigins: [origin] }, served);
      const response = await send(await listening(server, { isForeign }), 'OPTIONS', '/me/visits', { headers });
      return response.headers['access-control-allow-methods'];
    };
    expect(await methodsOf({ ...routeTable, member: [extra] })).toBe('GET,HEAD,POST');
    expect(await methodsOf(table)).toBe('GET,HEAD,POST,PATCH,PUT');
  });

  it('adds an added route to the OpenAPI document', async () => {
    const { port } = await serving();
    const { json } = await send(port, 'GET', '/openapi.json');
    for (const document of [openApiDocument({}, table), json])
      expect(document).toMatchObject({
        paths: {
          '/me/visits/{locator}': { get: { operationId: 'getVisit' } },
          '/me/visits': { post: { operationId: 'submitVisit' } },
        },
      });
  });
});

describe('route table', () => {
  const routes = Object.values(routeTable).flatMap((groups) => routesOf(groups));

  it('contains each route and each operation once', () => {
    const keys = routes.map(({ method, path }) => `${method} ${path}`);
    const ids = routes.flatMap(({ operation, isAlias }) => (isAlias ? [] : [operation.operationId]));
    expect([new Set(keys).size, new Set(ids).size]).toEqual([routes.length, ids.length]);
  });

  it('uses the name of its use case as the operation id of each member route', () => {
    const useCases = createUseCases(fakePorts());
    const ofServices = routeTable.member.filter(({ composesReads = false }) => !composesReads);
    for (const { operation } of routesOf(ofServices)) expect(useCases).toHaveProperty(operation.operationId);
  });
});
