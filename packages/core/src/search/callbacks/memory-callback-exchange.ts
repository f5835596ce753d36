import { okAsync } from 'neverthrow';
import type { Clock } from '../../runtime/clock.port.ts';
import type { CallbackExchange, CallbackFate, Expectation } from './callback-exchange.port.ts';

export interface MemoryCallbackExchangeSettings {
  /** How long a settled leg is remembered at least, to tell a late callback from an unknown one. Default 60 000. */
  readonly rememberMs?: number;
  /** How many settled legs are remembered at least while time would allow more. Default 10 000. */
  readonly rememberAtLeast?: number;
}

/** For one process: everything waits in memory, and nothing outlives it. */
export const memoryCallbackExchange = (
  clock: Clock,
  { rememberMs = 60_000, rememberAtLeast = 10_000 }: MemoryCallbackExchangeSettings = {},
): CallbackExchange => {
  const waiting = new Map<string, Expectation>();
  // Two generations, turned without a timer: the older one is dropped whole when the younger has aged or filled up.
  let young = new Map<string, CallbackFate>();
  let old = new Map<string, CallbackFate>();
  let turnedAt = clock.monotonic();

  const remember = (transactionId: string, fate: CallbackFate) => {
    if (young.size >= rememberAtLeast || clock.monotonic() - turnedAt >= rememberMs) {
      old = young;
      young = new Map();
      turnedAt = clock.monotonic();
    }
    young.set(transactionId, fate);
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
      if (!expectation) return okAsync(young.get(transactionId) ?? old.get(transactionId) ?? 'unknown');
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
