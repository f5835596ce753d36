import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { becknNetwork, searchFor } from '../../program/outside-world.test.support.ts';
import { measuredPortico } from './measured-portico.test.support.ts';
import { legMetrics } from './search-metrics.ts';

const test = { onTestFinished };

it('the search metrics count pending legs, and callbacks by outcome', async () => {
  const network = await becknNetwork(test, undefined);
  const { url, series } = await measuredPortico(test, () => {}, { gatewayUrl: network.url });
  const callBack = (transactionId: unknown) =>
    fetch(`${url}/on_search`, {
      method: 'POST',
      body: JSON.stringify({ context: { action: 'on_search', transaction_id: transactionId }, message: {} }),
    });
  const result = searchFor(url);
  await expect.poll(() => network.requests.length, { interval: 1 }).toBe(1);
  expect(await series(/^portico_search_pending/)).toEqual(['portico_search_pending 1']);
  await callBack(network.requests[0]?.context['transaction_id']);
  await (await result).json();
  await callBack(network.requests[0]?.context['transaction_id']);
  await callBack('7f8f58b7-0d9c-4b8e-8d5a-0a4f2f4c1d2e');
  await callBack(undefined);

  expect(await series(/^portico_search_(?:pending|callbacks|mismatched)/)).toEqual([
    'portico_search_pending 0',
    'portico_search_callbacks_total{outcome="delivered"} 1',
    'portico_search_callbacks_total{outcome="duplicate"} 1',
    'portico_search_callbacks_total{outcome="late"} 0',
    'portico_search_callbacks_total{outcome="unknown"} 1',
    'portico_search_callbacks_total{outcome="rejected"} 1',
    'portico_search_mismatched_callbacks_total 0',
  ]);
});

it('the search metrics count legs by id and outcome, and measure those that were delivered', async () => {
  const registry = new Registry();
  const onLeg = legMetrics(registry, ['moa', 'mh']);
  onLeg({ leg: 'moa', outcome: 'delivered', sellerErrors: 0, durationMs: 1500 });
  onLeg({ leg: 'moa', outcome: 'timeout', sellerErrors: 0, durationMs: 10_000 });
  const lines = (await registry.metrics()).split('\n');
  const outcomes = ['delivered', 'seller-error', 'unreachable', 'timeout', 'cancelled'];

  expect(lines.filter((line) => line.startsWith('portico_search_legs_total'))).toEqual([
    ...outcomes.map(
      (outcome, nth) => `portico_search_legs_total{leg="moa",outcome="${outcome}"} ${[1, 0, 0, 1, 0][nth]}`,
    ),
    ...outcomes.map((outcome) => `portico_search_legs_total{leg="mh",outcome="${outcome}"} 0`),
  ]);
  expect(lines.filter((line) => /^portico_search_leg_duration_seconds_(?:sum|count)/.test(line))).toEqual([
    'portico_search_leg_duration_seconds_sum{leg="moa"} 1.5',
    'portico_search_leg_duration_seconds_count{leg="moa"} 1',
    'portico_search_leg_duration_seconds_sum{leg="mh"} 0',
    'portico_search_leg_duration_seconds_count{leg="mh"} 0',
  ]);
});

it('the search metrics count the legs of a running server', async () => {
  const { url, series } = await measuredPortico(test, (response) => void response.writeHead(500).end());
  await (await searchFor(url)).json();

  expect(await series(/^portico_search_legs_total.*[^0]$/)).toEqual([
    'portico_search_legs_total{leg="moa",outcome="unreachable"} 1',
  ]);
});
