import type { RequestReport } from '@portico/adapters-koa';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { httpMetrics } from './http-metrics.ts';

const report: RequestReport = {
  requestId: '7f8f58b7-0d9c-4b8e-8d5a-0a4f2f4c1d2e',
  method: 'GET',
  route: '/me/coverage',
  status: 200,
  outcome: 'sent',
  durationMs: 3,
  stages: { useCaseMs: 2, sendingMs: 1 },
};

it('the HTTP metrics count unknown methods as other', async () => {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE', 'M-SEARCH', ''];
  const registry = new Registry();
  const { onResponse } = httpMetrics(registry);
  for (const method of methods) onResponse({ ...report, method });
  const lines = (await registry.metrics()).split('\n');
  const series = lines.filter((line) => line.startsWith('portico_http_requests_total'));

  expect(series.map((line) => /method="(.*?)"/.exec(line)?.[1])).toEqual([...methods.slice(0, 7), 'other']);
  expect(series.at(-1)).toMatch(/ 3$/);
});
