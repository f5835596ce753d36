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

/** Returns the lines of a metric after these requests. */
const seriesOf = async (name: string, reports: readonly Partial<RequestReport>[]) => {
  const registry = new Registry();
  const { onResponse } = httpMetrics(registry);
  for (const differences of reports) onResponse({ ...report, ...differences });
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith(name));
};

it('the HTTP metrics count requests by method, route and status', async () => {
  const reports = [{}, {}, { status: 502 }, { method: 'POST', route: '/me/claims', status: 201 }];

  expect(await seriesOf('portico_http_requests_total', reports)).toEqual([
    'portico_http_requests_total{method="GET",route="/me/coverage",status="200"} 2',
    'portico_http_requests_total{method="GET",route="/me/coverage",status="502"} 1',
    'portico_http_requests_total{method="POST",route="/me/claims",status="201"} 1',
  ]);
});

it('a scrape of the HTTP metrics does not change a counter', async () => {
  const registry = new Registry();
  const { onResponse } = httpMetrics(registry);
  onResponse(report);

  expect(await registry.metrics()).toBe(await registry.metrics());
});

it('the HTTP metrics count unknown methods as other', async () => {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE', 'M-SEARCH', ''];
  const series = await seriesOf(
    'portico_http_requests_total',
    methods.map((method) => ({ method })),
  );

  expect(series.map((line) => /method="(.*?)"/.exec(line)?.[1])).toEqual([...methods.slice(0, 7), 'other']);
  expect(series.at(-1)).toMatch(/ 3$/);
});

it('the HTTP metrics count interrupted requests by route', async () => {
  expect(await seriesOf('portico_http_requests_cut_total', [{ outcome: 'cut' }, {}, { route: 'none' }])).toEqual([
    'portico_http_requests_cut_total{route="/me/coverage"} 1',
    'portico_http_requests_cut_total{route="none"} 0',
  ]);
});
