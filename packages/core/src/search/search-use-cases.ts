import type { SearchPorts } from '../ports.ts';
import {
  type CallbackCounts,
  callbackCounter,
  type ReceiveCallback,
  receiveCallback,
} from './callbacks/receive-callback.ts';
import { type ListLegs, listLegs, type Search, search, searchDefaults, type SearchSettings } from './search.ts';

/** How the search half is doing, for `/health`. */
export interface SearchStatus {
  /** `degraded` while the next search would be turned away, or callbacks may not find theirs. */
  readonly status: 'ok' | 'degraded';
  /** Why it is degraded. */
  readonly reasons?: readonly string[];
  readonly pending: number;
  readonly callbacks: CallbackCounts;
}

/** Everything the search half can be asked for, by name. */
export interface SearchUseCases {
  readonly search: Search;
  readonly listLegs: ListLegs;
  readonly receiveCallback: ReceiveCallback;
  /** Counts a callback that the edge turned away before it could be read. */
  readonly refuseCallback: () => void;
  readonly searchStatus: () => SearchStatus;
}

/** Throws `TypeError` when the legs cannot be told apart in the answer, or want verification and there is no verifier. */
export const createSearchUseCases = (ports: SearchPorts, settings: SearchSettings): SearchUseCases => {
  const { legs, maxPending = searchDefaults.maxPending } = settings;
  const { exchange, verifier } = ports;
  const ids = new Set(legs.map((leg) => leg.id));
  if (legs.length === 0 || ids.size !== legs.length || ['elapsed_ms', 'errors', 'traces'].some((name) => ids.has(name)))
    throw new TypeError('A search has at least one leg, each with an id of its own beside elapsed_ms, errors, traces.');
  if (!verifier && legs.some((leg) => leg.verifyCallbacks))
    throw new TypeError('A leg that verifies callbacks needs a registry.');
  const counter = callbackCounter();
  return {
    search: search(ports, settings),
    listLegs: listLegs(settings),
    receiveCallback: receiveCallback(exchange, verifier, counter),
    refuseCallback: () => counter.count('rejected'),
    searchStatus: () => {
      const full = exchange.pending + legs.length > maxPending ? ['too many legs wait already'] : [];
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
