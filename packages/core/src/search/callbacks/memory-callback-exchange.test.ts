import { err } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../runtime/clock.fake.ts';
import { succeeds } from '../../contract/assertions.ts';
import type { OfferOutcome } from './callback-exchange.port.ts';
import { callbackExchangeContract } from './callback-exchange.contract.ts';
import { memoryCallbackExchange, type MemoryCallbackExchangeSettings } from './memory-callback-exchange.ts';
import { anOnSearch } from '../leg.fake.ts';

callbackExchangeContract({ describe, it }, () => {
  let ids = 0;
  return { exchange: memoryCallbackExchange(fakeClock()), fresh: () => `transaction-${++ids}` };
});

const createExchange = (settings?: MemoryCallbackExchangeSettings) => {
  const clock = fakeClock();
  const exchange = memoryCallbackExchange(clock, settings);
  const expectOne = async (transactionId: string) => {
    await exchange.expect([{ transactionId, legId: 'moa', deliver: () => {} }], 1_000);
  };
  return {
    clock,
    exchange,
    offerTo: async (id: string): Promise<OfferOutcome> => await succeeds(exchange.offer(id, anOnSearch(id).text)),
    /** Registers a leg and releases it. */
    releaseLeg: async (id: string) => {
      await expectOne(id);
      exchange.release(id);
    },
    /** Registers a leg and delivers its callback. */
    deliverLeg: async (id: string) => {
      await expectOne(id);
      await exchange.offer(id, anOnSearch(id).text);
    },
  };
};

describe('memoryCallbackExchange', () => {
  it('delivers a callback synchronously', () => {
    const exchange = memoryCallbackExchange(fakeClock());
    const delivered: string[] = [];
    const deliver = (callback: string) => void delivered.push(callback);
    void exchange.expect([{ transactionId: 't', legId: 'moa', deliver }], 1_000);
    void exchange.offer('t', anOnSearch('t').text);
    expect(delivered).toEqual([anOnSearch('t').text]);
  });

  it('does not count a leg as pending while it is being delivered', async () => {
    const exchange = memoryCallbackExchange(fakeClock());
    const waiting: number[] = [];
    const deliver = () => void waiting.push(exchange.pending);
    await exchange.expect([{ transactionId: 't', legId: 'moa', deliver }], 1_000);
    await exchange.offer('t', anOnSearch('t').text);
    expect(waiting).toEqual([0]);
  });

  it.each(['__proto__', 'constructor', ''])('reports unknown for the unregistered transaction "%s"', async (id) => {
    const { offerTo } = createExchange();
    expect(await offerTo(id)).toBe('unknown');
  });

  it('reports unknown, not late, for a leg that was released but never registered', async () => {
    const { exchange, offerTo } = createExchange();
    exchange.release('never');
    expect(await offerTo('never')).toBe('unknown');
  });

  it('reports duplicate, not late, for a leg that was released after delivery', async () => {
    const { exchange, deliverLeg, offerTo } = createExchange();
    await deliverLeg('t');
    exchange.release('t');
    expect(await offerTo('t')).toBe('duplicate');
  });

  it('remembers settled legs for at least a minute', async () => {
    const { clock, releaseLeg, deliverLeg, offerTo } = createExchange();
    clock.advance(59_999);
    await releaseLeg('released');
    await deliverLeg('delivered');
    for (let second = 0; second < 60; second++) {
      clock.advance(1_000);
      await releaseLeg(`other-${second}`);
    }
    expect([await offerTo('released'), await offerTo('delivered')]).toEqual(['late', 'duplicate']);
  });

  it('forgets settled legs after rememberMs', async () => {
    const { clock, releaseLeg, offerTo } = createExchange({ rememberMs: 1_000 });
    await releaseLeg('old');
    clock.advance(1_000);
    await releaseLeg('younger');
    expect(await offerTo('old')).toBe('late');
    clock.advance(1_000);
    await releaseLeg('youngest');
    expect([await offerTo('old'), await offerTo('younger')]).toEqual(['unknown', 'late']);
  });

  it('remembers at least rememberAtLeast settled legs, and a bounded number', async () => {
    const { releaseLeg, offerTo } = createExchange({ rememberAtLeast: 3 });
    for (let leg = 1; leg <= 7; leg++) await releaseLeg(`leg-${leg}`);
    const outcomes: OfferOutcome[] = [];
    for (let leg = 1; leg <= 7; leg++) outcomes.push(await offerTo(`leg-${leg}`));
    expect(outcomes).toEqual(['unknown', 'unknown', 'unknown', 'late', 'late', 'late', 'late']);
  });

  it('remembers ten thousand settled legs by default', async () => {
    const { releaseLeg, offerTo } = createExchange();
    let ids = 0;
    const others = async (count: number) => {
      for (let leg = 0; leg < count; leg++) await releaseLeg(`other-${ids++}`);
    };
    await releaseLeg('first');
    await others(10_000);
    expect(await offerTo('first')).toBe('late');
    await others(20_000);
    expect(await offerTo('first')).toBe('unknown');
  });

  it.each([
    ['that collect', { collects: { maxCallbacks: 10, maxBytes: 100 } }],
    ['that end with their first callback', {}],
  ])('keeps exactly maxCollectedBytes for all legs %s, until their searches have ended', async (_, settings) => {
    const { exchange } = createExchange({ maxCollectedBytes: 10 });
    const { promise: ended, resolve: endSearch } = Promise.withResolvers<void>();
    const legs = ['t', 'u', 'v'].map((transactionId) => ({
      transactionId,
      legId: 'mh',
      ended,
      deliver: () => {},
      ...settings,
    }));
    await exchange.expect(legs, 1_000);
    const overloaded = err({ kind: 'overloaded', retryAfterSeconds: 1 });
    expect(await succeeds(exchange.offer('t', '"1234"'))).toBe('delivered');
    expect(await exchange.offer('u', '"123"')).toEqual(overloaded);
    expect(await succeeds(exchange.offer('u', '"12"'))).toBe('delivered');
    for (const id of ['t', 'u']) exchange.release(id);
    expect(await exchange.offer('v', '""')).toEqual(overloaded);
    endSearch();
    await ended;
    expect(await succeeds(exchange.offer('v', '"12345678"'))).toBe('delivered');
  });

  it('keeps a pending leg regardless of time and of other settled legs', async () => {
    const { clock, exchange, releaseLeg, offerTo } = createExchange({ rememberMs: 10, rememberAtLeast: 1 });
    await exchange.expect([{ transactionId: 'pending', legId: 'mh', deliver: () => {} }], 1);
    for (let leg = 0; leg < 10; leg++) {
      await releaseLeg(`leg-${leg}`);
      clock.advance(100);
    }
    expect(exchange.pending).toBe(1);
    expect(await offerTo('pending')).toBe('delivered');
  });
});
