import { okAsync } from 'neverthrow';
import type { Clock } from '../../runtime/clock.port.ts';
import type { SentSearch, SentSearches } from './sent-searches.port.ts';

export interface MemorySentSearchesSettings {
  readonly clock: Clock;
  /** The minimum time to remember a search: at least as long as it waits for callbacks. Default 60,000. */
  readonly rememberMs?: number;
  /** The minimum number of searches that are remembered within that time, which limits the memory. Default 100,000. */
  readonly rememberAtLeast?: number;
}

/** Remembers the searches of this process. A search is forgotten after once to twice `rememberMs`. */
export const memorySentSearches = ({
  clock,
  rememberMs = 60_000,
  rememberAtLeast = 100_000,
}: MemorySentSearchesSettings): SentSearches => {
  // Two generations, rotated without a timer: the previous one is dropped when the current one is old or full.
  let current = new Map<string, SentSearch>();
  let previous = new Map<string, SentSearch>();
  let rotateAt = -Infinity;

  const rotate = (): void => {
    const now = clock.monotonic();
    if (now < rotateAt && current.size < rememberAtLeast) return;
    previous = now < rotateAt + rememberMs ? current : new Map();
    current = new Map();
    rotateAt = now + rememberMs;
  };

  return {
    remember: (transactionId, sent) => {
      rotate();
      current.set(transactionId, sent);
      return Promise.resolve();
    },
    find: (transactionId) => {
      rotate();
      return okAsync(current.get(transactionId) ?? previous.get(transactionId));
    },
  };
};
