import { createUseCases, type ServiceName, serviceNames } from '@portico/core';
import { fakePorts } from '@portico/core/testing';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../mounting/openapi-document.ts';
import { routeTable } from '../routes/table.ts';
import { listening, send } from '../server/portal.test.support.ts';
import { createServer } from '../server/server.ts';
import { memberRoutes } from '../mounting/member-routes.ts';
import { groupsOf, routesOf } from './route.ts';

const pathsOf = (services: readonly ServiceName[]) =>
  [...new Set(routesOf(groupsOf(routeTable.member, services)).map(({ path }) => path))].toSorted();

const memberPathsIn = (document: { readonly paths: object }) =>
  Object.keys(document.paths)
    .filter((path) => /^\/me(?:\/|$)/.test(path))
    .toSorted();

/** A server of one service, and the headers of a member. */
const serving = async (service: ServiceName) => {
  const { identity, clock, ...services } = fakePorts();
  const use = createUseCases({ identity, clock, [service]: services[service] });
  const headers = { authorization: `Bearer ${identity.issue({ sub: 'PTY-1' })}` };
  return { port: await listening(createServer(use)), use, headers };
};

describe.each(serviceNames)('a server with only the %s service', (service) => {
  it('responds on the routes of that service, and with 404 no-such-route on all others', async () => {
    const { port, headers } = await serving(service);
    for (const path of pathsOf(serviceNames)) {
      const { status, json } = await send(port, 'GET', path.replace('{locator}', 'X-1'), { headers });
      expect([path, (json as { code?: string } | undefined)?.code === 'no-such-route']).toEqual([
        path,
        !pathsOf([service]).includes(path),
      ]);
      expect(status).toBeLessThan(500);
    }
  });

  it('documents exactly the routes of that service', async () => {
    const { port } = await serving(service);
    const { json } = await send(port, 'GET', '/openapi.json');
    expect(memberPathsIn(json as never)).toEqual(pathsOf([service]));
  });

  it('serves exactly these routes in another Koa app, too', async () => {
    const { use, headers } = await serving(service);
    const port = await listening(new Koa().use(memberRoutes(use)).listen(0, '127.0.0.1'));
    const served = pathsOf([service]);
    for (const path of pathsOf(serviceNames)) {
      const { status, json } = await send(port, 'GET', path.replace('{locator}', 'X-1'), { headers });
      const code = (json as { code?: string } | undefined)?.code;
      if (served.includes(path)) expect([path, code]).not.toEqual([path, 'no-such-route']);
      else expect([path, status, code]).toEqual([path, 404, 'no-such-route']);
    }
  });
});

it('the OpenAPI document describes every service by default', () => {
  expect(memberPathsIn(openApiDocument())).toEqual(pathsOf(serviceNames));
});
