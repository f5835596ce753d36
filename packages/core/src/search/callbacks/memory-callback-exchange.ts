import { okAsync } from 'neverthrow';
import type { Clock } from '../../runtime/clock.port.ts';
import type { CallbackExchange, CallbackFate, Expectation } from './callback-exchange.port.ts';

export interface MemoryCallbackExchangeSettings {
  /** The minimum time to remember a settled leg, to distinguish late callbacks from unknown ones. Default 60,000. */
  readonly rememberMs?: number;
  /** The minimum number of settled legs remembered within that time. Default 10,000. */
  readonly rememberAtLeast?: number;
}

/** An exchange in memory, for a single process. */
export const memoryCallbackExchange = (
  clock: Clock,
  { rememberMs = 60_000, rememberAtLeast = 10_000 }: MemoryCallbackExchangeSettings = {},
): CallbackExchange => {
  const waiting = new Map<string, Expectation>();
  // Two generations, rotated without a timer: the previous one is dropped when the current one is old or full.
  let current = new Map<string, CallbackFate>();
  let previous = new Map<string, CallbackFate>();
  let rotatedAt = clock.monotonic();

  const remember = (transactionId: string, fate: CallbackFate) => {
    if (current.size >= rememberAtLeast || clock.monotonic() - rotatedAt >= rememberMs) {
      previous = current;
      current = new Map();
      rotatedAt = clock.monotonic();
    }
    current.set(transactionId, fate);
  };

  return {
    expect: (expectations) => {
      for (const expectation of expectations) waiting.set(expectation.transactionId, expectation);
      return okAsync(undefined);
    },
    release: (transactionId) => {
      if (waiting.delete(transactionId)) remember(transactionId, 'late');
    },
    offer: (transactionId, callback, isVerified = false) => {
      const expectation = waiting.get(transactionId);
      if (!expectation) return okAsync(current.get(transactionId) ?? previous.get(transactionId) ?? 'unknown');
      if (expectation.isVerifiedOnly && !isVerified) return okAsync('unverified');
      waiting.delete(transactionId);
      remember(transactionId, 'duplicate');
      expectation.deliver(callback);
      return okAsync('delivered');
    },
    get pending() {
      return waiting.size;
    },
  };
};
