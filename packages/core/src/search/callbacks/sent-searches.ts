import { okAsync } from 'neverthrow';
import type { Clock } from '../../runtime/clock.port.ts';
import { Generations } from '../../runtime/generations.ts';
import type { SentSearch, SentSearches } from './sent-searches.port.ts';

/** The longest `search.timeoutMs` of `portico serve`. */
export const maxSearchMs = 600_000;

export const sentSearchesDefaults = { rememberMs: maxSearchMs, rememberAtLeast: 100_000 } as const;

/** Defaults: `sentSearchesDefaults`. */
export interface MemorySentSearchesSettings {
  readonly clock: Clock;
  /** The minimum time to remember a search, in milliseconds: at least as long as it waits for callbacks. */
  readonly rememberMs?: number;
  /** The minimum number of searches that are remembered within that time, which limits the memory. */
  readonly rememberAtLeast?: number;
}

/** Remembers the searches of this process. A search is forgotten after once to twice `rememberMs`. */
export const memorySentSearches = ({
  clock,
  rememberMs = sentSearchesDefaults.rememberMs,
  rememberAtLeast = sentSearchesDefaults.rememberAtLeast,
}: MemorySentSearchesSettings): SentSearches => {
  const sentSearches = new Generations<SentSearch>(clock, rememberMs, rememberAtLeast);
  return {
    remember: (transactionId, sent) => {
      sentSearches.set(transactionId, sent);
      return Promise.resolve();
    },
    find: (transactionId) => okAsync(sentSearches.get(transactionId)),
  };
};
