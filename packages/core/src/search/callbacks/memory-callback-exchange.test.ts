import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../runtime/clock.fake.ts';
import { succeeds } from '../../shared/contract.ts';
import type { OfferOutcome } from './callback-exchange.port.ts';
import { callbackExchangeContract } from './callback-exchange.contract.ts';
import { memoryCallbackExchange, type MemoryCallbackExchangeSettings } from './memory-callback-exchange.ts';
import { anOnSearch } from '../leg.fake.ts';

callbackExchangeContract({ describe, it }, () => {
  let given = 0;
  return { exchange: memoryCallbackExchange(fakeClock()), fresh: () => `transaction-${++given}` };
});

const anExchange = (settings?: MemoryCallbackExchangeSettings) => {
  const clock = fakeClock();
  const exchange = memoryCallbackExchange(clock, settings);
  const expectOne = async (transactionId: string) => {
    await exchange.expect([{ transactionId, legId: 'moa', deliver: () => {} }], 1_000);
  };
  return {
    clock,
    exchange,
    fateOf: async (id: string): Promise<OfferOutcome> => await succeeds(exchange.offer(id, anOnSearch(id).text)),
    /** A leg that was waited for, and then released. */
    releases: async (id: string) => {
      await expectOne(id);
      exchange.release(id);
    },
    /** A leg that was waited for, and then delivered. */
    delivers: async (id: string) => {
      await expectOne(id);
      await exchange.offer(id, anOnSearch(id).text);
    },
  };
};

describe('an exchange in memory', () => {
  it('has delivered a callback by the time it says so', () => {
    const exchange = memoryCallbackExchange(fakeClock());
    const delivered: string[] = [];
    const deliver = (callback: string) => void delivered.push(callback);
    void exchange.expect([{ transactionId: 't', legId: 'moa', deliver }], 1_000);
    void exchange.offer('t', anOnSearch('t').text);
    expect(delivered).toEqual([anOnSearch('t').text]);
  });

  it('no longer counts a leg as waiting while it is being delivered', async () => {
    const exchange = memoryCallbackExchange(fakeClock());
    const waiting: number[] = [];
    const deliver = () => void waiting.push(exchange.pending);
    await exchange.expect([{ transactionId: 't', legId: 'moa', deliver }], 1_000);
    await exchange.offer('t', anOnSearch('t').text);
    expect(waiting).toEqual([0]);
  });

  it.each(['__proto__', 'constructor', ''])(
    'knows nothing of a transaction named "%s" that nobody started',
    async (id) => {
      const { fateOf } = anExchange();
      expect(await fateOf(id)).toBe('unknown');
    },
  );

  it('does not take a leg for late because it was released without ever waiting', async () => {
    const { exchange, fateOf } = anExchange();
    exchange.release('never');
    expect(await fateOf('never')).toBe('unknown');
  });

  it('does not turn a duplicate into a late one when the leg is released after delivery', async () => {
    const { exchange, delivers, fateOf } = anExchange();
    await delivers('t');
    exchange.release('t');
    expect(await fateOf('t')).toBe('duplicate');
  });

  it('remembers what settled for a minute at least', async () => {
    const { clock, releases, delivers, fateOf } = anExchange();
    clock.advance(59_999);
    await releases('released');
    await delivers('delivered');
    for (let second = 0; second < 60; second++) {
      clock.advance(1_000);
      await releases(`other-${second}`);
    }
    expect([await fateOf('released'), await fateOf('delivered')]).toEqual(['late', 'duplicate']);
  });

  it('forgets what settled long ago', async () => {
    const { clock, releases, fateOf } = anExchange({ rememberMs: 1_000 });
    await releases('old');
    clock.advance(1_000);
    await releases('younger');
    expect(await fateOf('old')).toBe('late');
    clock.advance(1_000);
    await releases('youngest');
    expect([await fateOf('old'), await fateOf('younger')]).toEqual(['unknown', 'late']);
  });

  it('remembers a number of settled legs however quickly they settle, and not without bound', async () => {
    const { releases, fateOf } = anExchange({ rememberAtLeast: 3 });
    for (let leg = 1; leg <= 7; leg++) await releases(`leg-${leg}`);
    const fates: OfferOutcome[] = [];
    for (let leg = 1; leg <= 7; leg++) fates.push(await fateOf(`leg-${leg}`));
    expect(fates).toEqual(['unknown', 'unknown', 'unknown', 'late', 'late', 'late', 'late']);
  });

  it('remembers ten thousand of them unless the settings say otherwise', async () => {
    const { releases, fateOf } = anExchange();
    let given = 0;
    const others = async (count: number) => {
      for (let leg = 0; leg < count; leg++) await releases(`other-${given++}`);
    };
    await releases('first');
    await others(10_000);
    expect(await fateOf('first')).toBe('late');
    await others(20_000);
    expect(await fateOf('first')).toBe('unknown');
  });

  it('keeps waiting for a leg however long that takes and however many settle meanwhile', async () => {
    const { clock, exchange, releases, fateOf } = anExchange({ rememberMs: 10, rememberAtLeast: 1 });
    await exchange.expect([{ transactionId: 'patient', legId: 'mh', deliver: () => {} }], 1);
    for (let leg = 0; leg < 10; leg++) {
      await releases(`leg-${leg}`);
      clock.advance(100);
    }
    expect(exchange.pending).toBe(1);
    expect(await fateOf('patient')).toBe('delivered');
  });
});
