import { randomUUID } from 'node:crypto';
import type { CallbackExchange, Clock, Expectation, Failure } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { err, ok, okAsync, type ResultAsync } from 'neverthrow';
import { expect, vi } from 'vitest';
import { soon, type Test } from '../redis-server.test.support.ts';
import { type queueLimits, type RedisCallbackExchange, RedisExchange, type RedisExchangeSettings } from './exchange.ts';

/** A clock that is faster than the real one by a factor. Settings such as `commandTimeoutMs` then need larger values. */
export const clockFasterBy = (factor: number): Clock => ({
  now: () => Date.now(),
  monotonic: () => performance.now() * factor,
  after: (ms, task) => {
    const timer = setTimeout(task, ms / factor);
    return () => clearTimeout(timer);
  },
});

/** Long, because Redis keeps a callback only until its search has timed out: a slow machine must not take as long. */
export const ttlMs = 600_000;
export const overloaded = err({ kind: 'overloaded', retryAfterSeconds: 1 });
export const callback = '{"message":{"catalog":{"providers":[]}}}';

/** Waits until a value is as expected. Unlike `expect.poll`, it works in concurrent tests. */
export const eventually = (read: () => unknown, expected: unknown, within = soon) =>
  vi.waitFor(async () => expect(await read()).toEqual(expected), within);

interface TestSettings extends Partial<RedisExchangeSettings> {
  readonly limits?: typeof queueLimits;
}

export const exchangeAt = ({ url }: { readonly url: string }, { limits, ...settings }: TestSettings = {}) =>
  // A long timeout, for slow machines: only some tests are about a slow Redis, or about settling.
  new RedisExchange({ url, clock: systemClock, commandTimeoutMs: 5000, settlingMs: 0, ...settings }, limits);

/** Creates an exchange that is closed after the test. It may not be connected yet. */
export const anInstance = (
  { onTestFinished }: Test,
  redis: { readonly url: string },
  settings: TestSettings = {},
): RedisCallbackExchange => {
  const exchange = exchangeAt(redis, settings);
  onTestFinished(() =>
    Promise.race([exchange.close(), new Promise<void>((resolve) => void setTimeout(resolve, 1000).unref())]),
  );
  return exchange;
};

export const connected = (...exchanges: readonly CallbackExchange[]) =>
  eventually(
    () => exchanges.map(({ degradedReason }) => degradedReason),
    exchanges.map(() => undefined),
  );

/** Creates exchanges and waits until they are connected. */
export const instances = async (
  test: Test,
  redis: { readonly url: string },
  count: number,
  settings: TestSettings = {},
) => {
  const all = Array.from({ length: count }, () => anInstance(test, redis, settings));
  await connected(...all);
  return all as readonly RedisCallbackExchange[] as readonly [
    RedisCallbackExchange,
    RedisCallbackExchange,
    ...RedisCallbackExchange[],
  ];
};

/** Registers a leg. Returns its id and the callbacks delivered to it. */
export const waitingAt = async (exchange: CallbackExchange, id: string = randomUUID(), ttl = ttlMs) => {
  const delivered: string[] = [];
  const deliver = (text: string) => void delivered.push(text);
  expect(await exchange.expect([{ transactionId: id, legId: 'moa', deliver }], ttl)).toEqual(ok(undefined));
  return { id, delivered };
};

/** Registers a leg that collects. Returns its id and what happens to it: delivered callbacks and `overflow`. */
export const collectingAt = async (exchange: CallbackExchange, more: Partial<Expectation> = {}, ttl = ttlMs) => {
  const id = more.transactionId ?? randomUUID();
  const happened: string[] = [];
  const expectation: Expectation = {
    transactionId: id,
    legId: 'mh',
    collects: { maxCallbacks: 100, maxBytes: 1_000_000 },
    deliver: (text) => void happened.push(text),
    overflow: () => void happened.push('overflow'),
    ...more,
  };
  expect(await exchange.expect([expectation], ttl)).toEqual(ok(undefined));
  return { id, happened };
};

/**
 * An exchange whose legs wait on one instance and whose callbacks arrive at another one, which knows their outcome before
 * the owner has been woken. Offers resolve when the owner has delivered them or reported the overflow.
 */
export const acrossInstances = (
  owner: CallbackExchange,
  remote: Pick<CallbackExchange, 'offer'>,
): Omit<CallbackExchange, 'degradedReason'> => {
  let happened = 0;
  let expected = 0;
  let changed = Promise.withResolvers<void>();
  const releases = new Set<string>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const observed = (expectation: Expectation): Expectation => ({
    ...expectation,
    deliver: (...args) => {
      expectation.deliver(...args);
      happened++;
      change();
    },
    overflow: () => {
      expectation.overflow?.();
      happened++;
      change();
    },
  });
  return {
    expect: (expectations, ttl) => owner.expect(expectations.map(observed), ttl),
    release: (transactionId) => {
      releases.add(transactionId);
      owner.release(transactionId);
      change();
    },
    offer: (transactionId, text, details) => {
      // An owner does not wait until Redis knows that it has released a leg. Its commands are run in turn.
      const isReleased = releases.has(transactionId);
      const known: ResultAsync<unknown, Failure> = isReleased ? owner.offer(randomUUID(), text) : okAsync();
      return known
        .andThen(() => remote.offer(transactionId, text, details))
        .map(async (outcome) => {
          if (releases.has(transactionId) || (outcome !== 'delivered' && outcome !== 'full')) return outcome;
          const atLeast = ++expected;
          const isDone = () => releases.has(transactionId) || happened >= atLeast;
          while (!isDone()) await changed.promise;
          return outcome;
        });
    },
    get pending() {
      return owner.pending;
    },
  };
};
