import { createUseCases } from '@portico/core';
import { fakePorts } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { everything } from './document.test.support.ts';
import { documented, draining, provocations } from './provocations.test.support.ts';
import { listening, send } from '../server/portal.test.support.ts';
import { searchFakes } from '../server/search.test.support.ts';
import { createServer } from '../server/server.ts';

/** The member API and the search API, on fakes. */
const useCases = () => ({ ...createUseCases(fakePorts()), ...searchFakes().use });

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
      expect([method, status, headers['allow']?.split(', ').toSorted()]).toEqual([
        method,
        method === 'OPTIONS' ? 204 : 405,
        known.toSorted(),
      ]);
    }
  });
});
