import { okAsync } from 'neverthrow';
import { changing, overridden, testSuite } from '../../contract/suite-test.test.support.ts';
import { unsafeInEveryPort } from '../../contract/unsafe-adapters.test.support.ts';
import { generalPromises } from '../../contract/supervision.ts';
import { fakeIds } from '../../runtime/ids.fake.ts';
import type { CallbackContext } from './callback-context.ts';
import { type CallbackExchangeSubject, callbackExchangeContract } from './callback-exchange.contract.ts';
import { fakeCallbackExchange } from './callback-exchange.fake.ts';
import type { CallbackExchange, Expectation, OfferOutcome } from './callback-exchange.port.ts';

const subject = (): CallbackExchangeSubject => {
  const ids = fakeIds();
  return { exchange: fakeCallbackExchange(), fresh: () => ids.uuid() };
};

const withExchange = changing<'exchange', CallbackExchangeSubject>('exchange');

/** Registers other expectations than it was given. */
const registering = (change: (expectation: Expectation, nth: number) => Expectation) =>
  withExchange((exchange) => ({
    expect: (expectations, ttlMs) => exchange.expect(expectations.map(change), ttlMs),
  }));

const offering = (outcome: (outcome: OfferOutcome) => OfferOutcome) =>
  withExchange((exchange) => ({ offer: (...args) => exchange.offer(...args).map(outcome) }));

/** Delivers early callbacks when their leg is registered. */
const remembersEarly = (exchange: CallbackExchange): Partial<CallbackExchange> => {
  const early = new Map<string, string>();
  return {
    offer: (id, callback, isVerified) =>
      exchange.offer(id, callback, isVerified).map((outcome) => {
        if (outcome === 'unknown') early.set(id, callback);
        return outcome;
      }),
    expect: (expectations, ttlMs) =>
      exchange.expect(expectations, ttlMs).andTee(() => {
        for (const { transactionId, deliver } of expectations) {
          const callback = early.get(transactionId);
          if (callback !== undefined) deliver(callback);
        }
      }),
  };
};

/** Reports a callback for a leg that collects as a duplicate if an earlier one had the same length. */
const comparingLengths = (exchange: CallbackExchange): Partial<CallbackExchange> => {
  const lengths = new Map<string, Set<number>>();
  return {
    expect: (expectations, ttlMs) => {
      for (const { transactionId, collects } of expectations) if (collects) lengths.set(transactionId, new Set());
      return exchange.expect(expectations, ttlMs);
    },
    offer: (id, callback, details) =>
      lengths.get(id)?.has(callback.length)
        ? okAsync('duplicate')
        : exchange.offer(id, callback, details).andTee(() => lengths.get(id)?.add(callback.length)),
  };
};

/** Passes the context of the callback before, of whichever leg. */
const passingPreviousContext = (good: CallbackExchangeSubject): CallbackExchangeSubject => {
  let previous: CallbackContext | undefined;
  return registering((leg) => ({
    ...leg,
    deliver: (callback, context) => {
      leg.deliver(callback, previous);
      previous = context;
    },
  }))(good);
};

/** Delivers once the event loop has turned this often. */
const deliverLater = async ({ deliver }: Expectation, callback: string, turns: number): Promise<void> => {
  for (let left = turns; left > 0; left--) await Promise.resolve();
  deliver(callback);
};

testSuite<CallbackExchangeSubject>('callback exchange', callbackExchangeContract, subject, [
  ...unsafeInEveryPort<'exchange', CallbackExchangeSubject>('exchange').filter(([does]) => !does.startsWith('shows')),
  [
    'parses the callback and serializes it again',
    withExchange((exchange) => ({
      offer: (id, callback, isVerified) => exchange.offer(id, JSON.stringify(JSON.parse(callback)), isVerified),
    })),
    'delivers a callback unchanged to the leg that waits for it',
  ],
  [
    'keeps only the low bytes of characters',
    withExchange((exchange) => ({
      offer: (id, callback, isVerified) => exchange.offer(id, callback.replaceAll(/[\u0100-\uffff]/g, '?'), isVerified),
    })),
    'delivers a callback unchanged to the leg that waits for it',
  ],
  [
    'cuts long callbacks',
    withExchange((exchange) => ({
      offer: (id, callback, isVerified) => exchange.offer(id, callback.slice(0, 65_536), isVerified),
    })),
    'delivers a callback unchanged to the leg that waits for it',
  ],
  [
    'calls the methods of a leg without the leg',
    registering(({ deliver, overflow, ...leg }) => ({
      ...leg,
      deliver: (...args) => deliver(...args),
      overflow: () => overflow?.(),
    })),
    'calls deliver and overflow as methods of their leg',
  ],
  ['keeps a copy of a leg', registering((leg) => ({ ...leg })), 'calls deliver and overflow as methods of their leg'],
  [
    'delivers every callback',
    withExchange((exchange) => {
      const known = new Map<string, Expectation['deliver']>();
      return {
        expect: (expectations, ttlMs) => {
          for (const { transactionId, deliver } of expectations) known.set(transactionId, deliver);
          return exchange.expect(expectations, ttlMs);
        },
        offer: (id, callback, isVerified) =>
          exchange.offer(id, callback, isVerified).map((outcome) => {
            if (outcome === 'duplicate') known.get(id)?.(callback);
            return outcome;
          }),
      };
    }),
    'delivers only the first callback',
  ],
  [
    'delivers twice when two callbacks arrive together',
    registering((expectation) => ({
      ...expectation,
      deliver: (callback) => {
        expectation.deliver(callback);
        if (callback.includes('1.50')) expectation.deliver(callback);
      },
    })),
    'delivers one of several callbacks that arrive at the same time',
  ],
  ['does not release', withExchange(() => ({ release: () => {} })), 'delivers nothing to a leg that was released'],
  [
    'releases all legs',
    withExchange((exchange) => {
      const known: string[] = [];
      return {
        expect: (expectations, ttlMs) => {
          known.push(...expectations.map(({ transactionId }) => transactionId));
          return exchange.expect(expectations, ttlMs);
        },
        release: () => known.forEach((id) => exchange.release(id)),
      };
    }),
    'releases only the leg with the transaction id',
  ],
  [
    'throws for a leg that was never registered',
    withExchange((exchange) => {
      const known = new Set<string>();
      return {
        expect: (expectations, ttlMs) => {
          for (const { transactionId } of expectations) known.add(transactionId);
          return exchange.expect(expectations, ttlMs);
        },
        release: (id) => {
          if (!known.has(id)) throw new RangeError('unknown leg');
          exchange.release(id);
        },
      };
    }),
    generalPromises.values,
  ],
  [
    'registers only the first leg',
    registering((leg, nth) => (nth === 0 ? leg : { ...leg, transactionId: 'lost' })),
    'registers several legs at once',
  ],
  [
    'reports an unknown transaction as delivered',
    offering((outcome) => (outcome === 'unknown' ? 'delivered' : outcome)),
    'does not deliver a callback that came before its leg was registered',
  ],
  [
    'reports a late callback as unknown',
    offering((outcome) => (outcome === 'late' ? 'unknown' : outcome)),
    'delivers nothing to a leg that was released',
  ],
  [
    'delivers unverified callbacks to every leg',
    withExchange((exchange) => ({ offer: (id, callback) => exchange.offer(id, callback, { isVerified: true }) })),
    'delivers only verified callbacks to a leg with isVerifiedOnly',
  ],
  [
    'ends a leg that collects with its first callback',
    registering(({ collects: _, overflow: __, ...first }) => first),
    'delivers every callback to a leg that collects, in the order of arrival',
  ],
  [
    'keeps every copy of a callback',
    withExchange((exchange) => {
      let copies = 0;
      return { offer: (id, callback, details) => exchange.offer(id, callback + ' '.repeat(copies++ % 3), details) };
    }),
    'delivers a callback with the same text once to a leg that collects',
  ],
  [
    'ignores the limits of a leg that collects',
    registering((expectation) => ({
      ...expectation,
      ...(expectation.collects && { collects: { maxCallbacks: Infinity, maxBytes: Infinity } }),
    })),
    'refuses more callbacks than a leg may collect, and reports the overflow',
  ],
  [
    'counts characters instead of bytes',
    registering((expectation) => ({
      ...expectation,
      ...(expectation.collects && { collects: { ...expectation.collects, maxBytes: 15 } }),
    })),
    'refuses more bytes of UTF-8 than a leg may collect, and reports the overflow',
  ],
  [
    'does not report an overflow',
    registering(({ overflow: _, ...silent }) => silent),
    'refuses more callbacks than a leg may collect, and reports the overflow',
  ],
  [
    'keeps a leg that collects registered after its release',
    withExchange((exchange) => ({ release: () => exchange.degradedReason })),
    'delivers nothing to a leg that collected and was released',
  ],
  [
    'delivers callbacks of another message to a strict leg',
    registering(({ pairing: _, ...lenient }) => lenient),
    'delivers only callbacks with the pairing of a leg',
  ],
  [
    'delivers callbacks of another message to a strict leg that collects',
    registering(({ pairing, ...leg }) => (leg.collects ? leg : { ...leg, pairing })),
    'delivers only callbacks with the pairing of a leg',
  ],
  [
    'compares the lengths of callbacks instead of their texts',
    withExchange(comparingLengths),
    'delivers every callback to a leg that collects, in the order of arrival',
  ],
  [
    'passes the context of another callback',
    passingPreviousContext,
    'passes the context of a callback to its leg, or none',
  ],
  [
    'delivers a callback to the leg that was registered first',
    withExchange((exchange) => {
      let first: Expectation['deliver'] | undefined;
      return {
        expect: (expectations, ttlMs) => {
          first ??= expectations[0]?.deliver;
          return exchange.expect(
            expectations.map((leg) => ({ ...leg, deliver: first! })),
            ttlMs,
          );
        },
      };
    }),
    'delivers a callback only to the leg with its transaction id',
  ],
  [
    'delivers a callback that came too early',
    withExchange(remembersEarly),
    'does not deliver a callback that came before its leg was registered',
  ],
  [
    'counts legs that were delivered as pending',
    (good) => {
      let registered = 0;
      const { exchange } = good;
      const counting = {
        expect: (...args: Parameters<CallbackExchange['expect']>) => {
          registered += args[0].length;
          return exchange.expect(...args);
        },
        get pending() {
          return registered;
        },
      };
      return { ...good, exchange: overridden(exchange, counting) };
    },
    'counts pending legs, not those that were delivered or released',
  ],
  [
    'reports that it is degraded while it works',
    withExchange(() => ({ degradedReason: 'the store is down' })),
    'reports no degradedReason while it works',
  ],
  [
    'acknowledges callbacks without delivering them',
    withExchange(() => ({ offer: () => okAsync('delivered') })),
    'delivers a callback unchanged to the leg that waits for it',
  ],
  [
    'delivers a callback again later',
    registering((expectation) => ({
      ...expectation,
      deliver: (callback) => {
        expectation.deliver(callback);
        void deliverLater(expectation, callback, 20);
      },
    })),
    'delivers nothing more once the callback was delivered',
  ],
  [
    'finds a leg by the beginning of the transaction id',
    withExchange((exchange) => ({ offer: (id, ...rest) => exchange.offer(id.slice(0, 36), ...rest) })),
    'reports unknown for a transaction id that begins or ends like a registered one',
  ],
  [
    'finds a leg by the end of the transaction id',
    withExchange((exchange) => ({ offer: (id, ...rest) => exchange.offer(id.slice(-36), ...rest) })),
    'reports unknown for a transaction id that begins or ends like a registered one',
  ],
  [
    'delivers to a leg that was released while the callback was on its way',
    registering((expectation) => ({
      ...expectation,
      deliver: (callback) => void deliverLater(expectation, callback, 3),
    })),
    'delivers nothing to a leg that is released while a callback arrives',
  ],
]);
