import { createUseCases } from '@portico/core';
import { fakePorts } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { fullDocument } from './document.test.support.ts';
import { documented, draining, scenarios } from './scenarios.test.support.ts';
import { listening, send } from '../server/portal.test.support.ts';
import { searchFakes } from '../server/search.test.support.ts';
import { createServer } from '../server/server.ts';

describe('documented responses', () => {
  it.each(documented)(
    'returns every documented status and media type: $route, $status $type',
    async ({ key, status, type }) => {
      const scenario = scenarios[key];
      expect(scenario, 'a scenario for this response').toBeDefined();
      const response = await scenario!();
      expect([response.status, response.headers['content-type']?.split(';')[0] ?? 'nothing']).toEqual([status, type]);
    },
  );

  it('every scenario is for a documented response', () => {
    const keys = new Set(documented.map(({ key }) => key));
    expect(Object.keys(scenarios).filter((key) => !keys.has(key))).toEqual([]);
  });
});

describe('a draining server', () => {
  it.each(['/me/coverage', '/me/nothing', '/nothing', '/api/search'])(
    'returns the documented 503 while draining: %s',
    async (path) => {
      expect((await draining(path)()).status).toBe(503);
    },
  );
});

describe('undocumented methods', () => {
  const paths = Object.entries(fullDocument.paths).map(([path, item]) => [path, item] as const);

  it.each(paths)('returns 405 with Allow for every undocumented method: %s', async (path, item) => {
    const port = await listening(createServer({ ...createUseCases(fakePorts()), ...searchFakes().use }));
    const target = path.replace('{locator}', 'CLM-1');
    const known = Object.keys(item).flatMap((name) => (name === 'get' ? ['GET', 'HEAD'] : [name.toUpperCase()]));
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
