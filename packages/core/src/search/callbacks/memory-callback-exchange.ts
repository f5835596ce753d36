import { errAsync, okAsync } from 'neverthrow';
import type { Clock } from '../../runtime/clock.port.ts';
import { Generations } from '../../runtime/generations.ts';
import { overloaded } from '../../shared/failure.ts';
import { utf8Length } from '../../shared/json/json.ts';
import { type CallbackExchange, type CallbackFate, type Expectation } from './callback-exchange.port.ts';
import { pairingOf } from './callback-context.ts';
import { Collection } from './collection.ts';

export const callbackExchangeDefaults = {
  rememberMs: 60_000,
  rememberAtLeast: 10_000,
  maxCollectedBytes: 134_217_728,
} as const;

/** Defaults: `callbackExchangeDefaults`. */
export interface MemoryCallbackExchangeSettings {
  /** The minimum time to remember a settled leg, to distinguish late callbacks from unknown ones. */
  readonly rememberMs?: number;
  /** The minimum number of settled legs remembered within that time. */
  readonly rememberAtLeast?: number;
  /**
   * The maximum total size, in bytes, of the callbacks that were delivered to searches which have not ended. Beyond it,
   * callbacks fail `overloaded`, and their legs go on waiting. Catalogs in acknowledgements are delivered even then.
   */
  readonly maxCollectedBytes?: number;
}

/**
 * Emptied at its end: V8 keeps the entries that a `Map` had when it copied them to another table, until it collects all
 * garbage (docs/decisions/0166).
 */
interface Waiting {
  expectation: Expectation | undefined;
  collection: Collection | undefined;
}

/** An exchange in memory, for a single process. */
export const memoryCallbackExchange = (
  clock: Clock,
  {
    rememberMs = callbackExchangeDefaults.rememberMs,
    rememberAtLeast = callbackExchangeDefaults.rememberAtLeast,
    maxCollectedBytes = callbackExchangeDefaults.maxCollectedBytes,
  }: MemoryCallbackExchangeSettings = {},
): CallbackExchange => {
  const waiting = new Map<string, Waiting>();
  let keptBytes = 0;
  const settled = new Generations<CallbackFate>(clock, rememberMs, rememberAtLeast);

  /** Counts a callback until its search has ended. False when there is no room for it. */
  const keep = (bytes: number, ended: Promise<unknown> | undefined): boolean => {
    if (keptBytes + bytes > maxCollectedBytes) return false;
    if (!ended) return true;
    keptBytes += bytes;
    void ended.then(() => {
      keptBytes -= bytes;
    });
    return true;
  };

  const end = (transactionId: string, ended: Waiting, fate: CallbackFate) => {
    waiting.delete(transactionId);
    settled.set(transactionId, fate);
    ended.expectation = undefined;
    ended.collection = undefined;
  };

  return {
    expect: (expectations) => {
      for (const expectation of expectations) {
        const { transactionId, collects } = expectation;
        waiting.set(transactionId, { expectation, collection: collects && new Collection(collects) });
      }
      return okAsync(undefined);
    },
    release: (transactionId) => {
      const released = waiting.get(transactionId);
      if (!released) return;
      end(transactionId, released, 'late');
    },
    offer: (transactionId, callback, { isVerified = false, context } = {}) => {
      const found = waiting.get(transactionId);
      if (!found?.expectation) return okAsync(settled.get(transactionId) ?? 'unknown');
      const { expectation, collection } = found;
      if (expectation.isVerifiedOnly && !isVerified) return okAsync('unverified');
      if (expectation.pairing !== undefined && expectation.pairing !== pairingOf(context)) return okAsync('mismatched');
      const bytes = utf8Length(callback);
      const outcome = collection?.outcomeOf(callback, bytes) ?? 'delivered';
      if (outcome === 'full') expectation.overflow?.();
      if (outcome !== 'delivered') return okAsync(outcome);
      if (!keep(bytes, expectation.ended)) return errAsync(overloaded());
      if (collection) collection.add(callback, bytes);
      else end(transactionId, found, 'duplicate');
      expectation.deliver(callback, context);
      return okAsync('delivered');
    },
    get pending() {
      return waiting.size;
    },
  };
};
