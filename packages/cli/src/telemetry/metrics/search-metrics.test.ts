import { expect, it, onTestFinished } from 'vitest';
import { becknNetwork, searchFor } from '../../program/outside-world.test.support.ts';
import { measuredPortico } from './measured-portico.test.support.ts';

const test = { onTestFinished };

it('counts pending legs, and callbacks by outcome', async () => {
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

  expect(await series(/^portico_search_/)).toEqual([
    'portico_search_pending 0',
    'portico_search_callbacks_total{outcome="delivered"} 1',
    'portico_search_callbacks_total{outcome="duplicate"} 1',
    'portico_search_callbacks_total{outcome="late"} 0',
    'portico_search_callbacks_total{outcome="unknown"} 1',
    'portico_search_callbacks_total{outcome="rejected"} 1',
  ]);
});
