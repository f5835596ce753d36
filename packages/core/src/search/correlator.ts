import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { SearchPorts } from '../ports.ts';
import { createFeed } from '../runtime/feed.ts';
import type { Signal } from '../runtime/signal.ts';
import type { Failure } from '../shared/failure.ts';
import type { Envelope, EnvelopeIds } from './envelope.ts';
import type { ListedLeg } from './leg.ts';
import type { LegOutcome, SearchEvent } from './leg-outcome.ts';
import { PendingLeg, type SearchScope } from './pending-leg.ts';

/** A running search. Its legs settle one by one, in any order; `response` resolves when the last leg has settled. */
export interface RunningSearch {
  /** One promise per leg, in the order of the legs. They never reject. */
  readonly legs: readonly Promise<LegOutcome>[];
  /** Everything that has happened and will happen, in order. Ends when the last leg has settled. */
  readonly events: AsyncIterable<SearchEvent>;
  readonly response: Promise<SearchResponse>;
}

export interface SearchResponse {
  readonly elapsedMs: number;
  readonly legs: readonly LegOutcome[];
}

/** Builds the envelope that one leg is sent. `now` is in milliseconds since the epoch. */
export type EnvelopeFor = (leg: ListedLeg, ids: EnvelopeIds, now: number) => Envelope;

interface CorrelateSettings {
  readonly envelopeFor: EnvelopeFor;
  readonly timeoutMs: number;
  readonly signal?: Signal | undefined;
  /** Called for each delivered callback with another `message_id`, `bap_id` or `domain` than its leg has sent. */
  readonly onMismatch?: (() => void) | undefined;
}

/**
 * Posts one search to every leg in parallel. Each leg settles exactly once, on the first of: its last callback, a
 * failed post, the deadline, or the caller's signal. A settled leg is no longer registered.
 */
export const correlate = (
  { transport, exchange, verifier, clock, ids }: SearchPorts,
  legs: readonly ListedLeg[],
  { envelopeFor, timeoutMs, signal, onMismatch = () => {} }: CorrelateSettings,
): ResultAsync<RunningSearch, Failure> => {
  const startedAt = clock.monotonic();
  const elapsed = () => Math.round(clock.monotonic() - startedAt);

  const start = async (): Promise<Result<RunningSearch, Failure>> => {
    const feed = createFeed<SearchEvent>();
    const ended = () => outcomes;
    const scope: SearchScope = { clock, exchange, verifier, elapsed, onEvent: feed.push, onMismatch, ended };
    const transactionIds = legs.map(() => ids.uuid());
    const posts = legs.map((leg, nth) => {
      const envelope = envelopeFor(leg, { transactionId: transactionIds[nth]!, messageId: ids.uuid() }, clock.now());
      return { envelope, leg: new PendingLeg(leg, envelope, scope) };
    });
    const pending = posts.map(({ leg }) => leg);
    const settled = pending.map(({ settled }) => settled);
    const outcomes = Promise.all(settled);
    const cancelAll = () => {
      for (const one of pending) one.fail({ kind: 'bap_unreachable', detail: 'the search was cancelled' });
    };
    const expireAll = () => {
      for (const one of pending) one.expire({ kind: 'timeout', detail: `no callback within ${timeoutMs} ms` });
    };
    const registered = await exchange.expect(pending, timeoutMs);
    if (registered.isErr()) {
      cancelAll();
      return err(registered.error);
    }
    const leftMs = Math.max(0, timeoutMs - (clock.monotonic() - startedAt));
    const cancelDeadline = clock.after(leftMs, expireAll);
    signal?.addEventListener('abort', cancelAll);
    if (signal?.aborted) cancelAll();
    if (leftMs === 0) expireAll();
    for (const { leg, envelope } of posts) leg.post(transport, envelope);
    return ok({
      legs: settled,
      events: feed,
      response: outcomes.then((legOutcomes) => {
        cancelDeadline();
        signal?.removeEventListener('abort', cancelAll);
        feed.end();
        return { elapsedMs: elapsed(), legs: legOutcomes };
      }),
    });
  };
  return new ResultAsync(start());
};
