import { expect, it } from 'vitest';
import { networkResults, offersOf } from './network-results.ts';

const from = (item: string) => ({ message: { catalog: { providers: [{ id: 'P', items: [{ id: item }] }] } } });
const trace = { transaction_id: 't-1', elapsed_ms: 12, label: 'Settled network' };
const labels = new Map([['mh', 'Pending network']]);

it('shows the offers of each seller of a pending network, and the result of a settled one', () => {
  const arrived = [
    { leg: 'mh', bpp_id: 'a', result: from('1') },
    { leg: 'moa', bpp_id: 'b', result: from('2') },
    { leg: 'mh', bpp_id: 'c', result: null, error: { code: '1', message: 'Closed' } },
    { leg: 'mh', bpp_id: 'd', result: from('3') },
  ];
  const settled = [{ leg: 'moa', result: { responses: [from('2'), from('4')] }, trace }];
  const networks = networkResults(settled, arrived, labels);
  expect(networks.flatMap(offersOf).map(({ network, itemId }) => `${network} ${itemId}`)).toEqual([
    'Settled network 2',
    'Settled network 4',
    'Pending network 1',
    'Pending network 3',
  ]);
});

it('reads the offers of a result once', () => {
  const network = { leg: 'mh', label: 'Network', results: [from('1')] };
  expect(offersOf(network)[0]).toBe(offersOf(network)[0]);
});
