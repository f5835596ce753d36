import { okAsync } from 'neverthrow';
import type { SearchPorts } from '../ports.ts';
import {
  type CallbackCounts,
  callbackCounter,
  type ReceiveCallback,
  receiveCallback,
} from './callbacks/receive-callback.ts';
import { buildEnvelope } from './envelope.ts';
import type { ListedLeg } from './leg.ts';
import { contextFields } from './profiles/context-fields.ts';
import { type ListLegs, type Search, search, type SearchSettings, withDefaults } from './search.ts';

/** The status of the search API, for `/health`. */
export interface SearchStatus {
  /** `degraded` while new searches are refused, or callbacks may not reach their search. */
  readonly status: 'ok' | 'degraded';
  /** The reasons for the status `degraded`. */
  readonly reasons?: readonly string[];
  readonly pending: number;
  readonly callbacks: CallbackCounts;
}

/** The use cases of the search API. */
export interface SearchUseCases {
  readonly search: Search;
  readonly listLegs: ListLegs;
  readonly receiveCallback: ReceiveCallback;
  /** Counts a callback that the server rejected before it was parsed. */
  readonly refuseCallback: () => void;
  readonly searchStatus: () => SearchStatus;
}

/**
 * Throws `TypeError` for invalid leg ids, limits, personas and profiles, and when a leg has `verifyCallbacks` but there is no
 * verifier.
 */
export const createSearchUseCases = (ports: SearchPorts, given: SearchSettings): SearchUseCases => {
  const { exchange, verifier } = ports;
  checkIds(given.legs.map((leg) => leg.id));
  if (!verifier && given.legs.some((leg) => leg.verifyCallbacks))
    throw new TypeError('A leg with verifyCallbacks needs the port verifier.');
  const settings = withDefaults(given);
  const { legs, maxPending, timeoutMs } = settings;
  if (!(timeoutMs > 0 && timeoutMs < Infinity)) throw new TypeError('timeoutMs of a search must be a positive number.');
  if (!(maxPending >= 0)) throw new TypeError('maxPending of a search must be a number of at least 0.');
  for (const leg of legs) {
    checkLimits(leg);
    checkProfile(leg);
  }
  const counter = callbackCounter();
  return {
    search: search(ports, settings, () => counter.count('mismatched')),
    listLegs: () => okAsync(legs),
    receiveCallback: receiveCallback(exchange, verifier, counter),
    refuseCallback: () => counter.count('rejected'),
    searchStatus: () => {
      const full = exchange.pending + legs.length > maxPending ? ['too many legs are pending'] : [];
      const reasons = exchange.degradedReason === undefined ? full : [...full, exchange.degradedReason];
      return {
        status: reasons.length > 0 ? 'degraded' : 'ok',
        ...(reasons.length > 0 && { reasons }),
        pending: exchange.pending,
        callbacks: counter.counts(),
      };
    },
  };
};

const checkIds = (ids: readonly string[]): void => {
  const unique = new Set(ids);
  const isReserved = ['elapsed_ms', 'errors', 'traces'].some((name) => unique.has(name));
  if (ids.length === 0 || unique.size !== ids.length || isReserved)
    throw new TypeError(
      'A search needs at least one leg. Leg ids must be unique and not elapsed_ms, errors or traces.',
    );
};

/** Redis cannot read a limit that is not a whole number, and one that is NaN never applies. */
const checkLimits = ({ id, callbacks = 'first', maxCallbacks = 1, maxBytes = 1 }: ListedLeg): void => {
  const { count = 1, quietMs = 1 } = callbacks as { readonly count?: number; readonly quietMs?: number };
  for (const [name, limit] of Object.entries({ maxCallbacks, maxBytes, count, quietMs }))
    if (!(limit === Infinity || (Number.isInteger(limit) && limit > 0)))
      throw new TypeError(`${name} of the leg ${id} must be a whole number of at least 1.`);
};

/** Builds an envelope once, so that a profile of your own cannot fail later, or lose its callbacks. */
const checkProfile = (leg: ListedLeg): void => {
  const { context } = buildEnvelope(leg, 'query', { transactionId: 'transaction-1', messageId: 'message-1' }, 0);
  if (contextFields(context).transactionId !== 'transaction-1')
    throw new TypeError(`The profile of the leg ${leg.id} must send the transaction id in the context.`);
};
