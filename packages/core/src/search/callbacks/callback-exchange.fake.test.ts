import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { upstream } from '../../shared/failure.ts';
import { fakeCallbackExchange } from './callback-exchange.fake.ts';
import { anOnSearch } from '../leg.fake.ts';

describe('fakeCallbackExchange', () => {
  const failure = upstream('search', 'unreachable');
  const one = { transactionId: 'transaction-1', legId: 'moa', deliver: () => {} };

  it('fails on demand and keeps the registered legs', async () => {
    const exchange = fakeCallbackExchange();
    await exchange.expect([one], 1000);
    exchange.failWith(failure);
    expect(await exchange.expect([{ ...one, transactionId: 'transaction-2' }], 1000)).toEqual(err(failure));
    expect(await exchange.offer('transaction-1', anOnSearch('transaction-1').text)).toEqual(err(failure));
    expect(exchange.pending).toBe(1);
    exchange.failWith(undefined);
    expect(await exchange.offer('transaction-1', anOnSearch('transaction-1').text)).toEqual(ok('delivered'));
  });

  it('reports the degraded reason that the test sets', () => {
    const exchange = fakeCallbackExchange();
    expect(exchange.degradedReason).toBeUndefined();
    exchange.degrade('the store is down');
    expect(exchange.degradedReason).toBe('the store is down');
  });
});
