import { readdirSync } from 'node:fs';
import type { Router } from '@koa/router';
import { createUseCases } from '@portico/core';
import { describe, expect, it } from 'vitest';
import { everything } from './document.test.support.ts';
import { documented, draining, provocations } from './provocations.test.support.ts';
import { listening, portalFakes, send } from '../server/portal.test.support.ts';
import { searchFakes } from '../server/search.test.support.ts';
import { createServer } from '../server/server.ts';

const folder = new URL('routes/', import.meta.url);
const routeFiles = readdirSync(folder).filter((name) => /^[a-z-]+\.ts$/.test(name));

/** Both halves, on fakes. */
const useCases = () => ({ ...createUseCases(portalFakes()), ...searchFakes().use });

/** What every router in `routes/` has in its stack: `GET /me/claims/{locator}`. */
const routed = async (): Promise<readonly string[]> => {
  const modules = await Promise.all(
    routeFiles.map((name) => import(new URL(name, folder).href) as Promise<Readonly<Record<string, unknown>>>),
  );
  const makers = modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, made]) =>
      name.endsWith('Routes') ? [made as (...of: unknown[]) => Router] : [],
    ),
  );
  expect(makers.length).toBe(routeFiles.length);
  return makers.flatMap((make) =>
    make(useCases(), 1000).stack.flatMap(({ methods, path }) =>
      methods
        .filter((method) => method !== 'HEAD')
        .map((method) => `${method} ${String(path).replaceAll(/:([a-z]+)/g, '{$1}')}`),
    ),
  );
};

/** These stand in no route file. */
const ownPaths = ['/livez', '/readyz', '/openapi.json', '/docs'];

describe('every route', () => {
  it('is documented, and no other is', async () => {
    const own = ownPaths.map((path) => `GET ${path}`);
    expect([...(await routed()), ...own].toSorted()).toEqual(
      [...new Set(documented.map(({ route }) => route))].toSorted(),
    );
  });

  it.each(routeFiles)('has its document beside it: %s', (name) => {
    expect(readdirSync(folder)).toContain(name.replace(/\.ts$/, '.openapi.ts'));
  });
});

describe('every documented answer', () => {
  it.each(documented)('is given: $route, $status $type', async ({ key, status, type }) => {
    const provoke = provocations[key];
    expect(provoke, 'somebody provokes it').toBeDefined();
    const answer = await provoke!();
    expect([answer.status, answer.headers['content-type']?.split(';')[0] ?? 'nothing']).toEqual([status, type]);
  });

  it('is provoked by its name', () => {
    const keys = new Set(documented.map(({ key }) => key));
    expect(Object.keys(provocations).filter((key) => !keys.has(key))).toEqual([]);
  });
});

describe('whoever comes while the server is on its way out', () => {
  it.each(['/me/coverage', '/me/nothing', '/nothing', '/api/search'])('is told as documented: %s', async (path) => {
    expect((await draining(path)()).status).toBe(503);
  });
});

describe('every other method', () => {
  const paths = Object.entries(everything.paths).map(([path, item]) => [path, item] as const);

  it.each(paths)('is turned away: %s', async (path, item) => {
    const port = await listening(createServer(useCases()));
    const target = path.replace('{locator}', 'CLM-1');
    const known = Object.keys(item)
      .filter((name) => name !== 'parameters')
      .flatMap((name) => (name === 'get' ? ['GET', 'HEAD'] : [name.toUpperCase()]));
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'OPTIONS']) {
      if (known.includes(method)) continue;
      const { status, headers } = await send(port, method, target);
      if (path === '/livez' || path === '/readyz') expect([method, status]).toEqual([method, 404]);
      else
        expect([method, status, headers['allow']?.split(', ').toSorted()]).toEqual([
          method,
          method === 'OPTIONS' ? 204 : 405,
          known.toSorted(),
        ]);
    }
  });
});
