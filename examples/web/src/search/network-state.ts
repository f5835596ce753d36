import { type LegEvent, readOffers, readSellerError, readSellerErrors } from '@portico/core';
import type { Texts } from '../texts/en.ts';
import type { SearchPhase } from './use-search.ts';

/** How the search of one network ended. `partial`: some of its sellers returned an error. */
export type Outcome = 'done' | 'partial' | 'timedOut' | 'unreachable' | 'refused';

export const outcomeOf = ({ result, error }: LegEvent): Outcome => {
  const isDelivered = (result ?? null) !== null;
  if (!isDelivered && readSellerErrors(error).length > 0) return 'refused';
  if (!isDelivered) return error?.kind === 'timeout' ? 'timedOut' : 'unreachable';
  if (readSellerError(result)) return 'refused';
  return readSellerErrors(error).length > 0 ? 'partial' : 'done';
};

/** Whether a network sent a result, also without offers. */
export const hasResult = (event: LegEvent): boolean => ['done', 'partial'].includes(outcomeOf(event));

const offersIn = new WeakMap<LegEvent, number>();

/** The number of offers of a settled network. */
export const offerCountOf = (event: LegEvent): number => {
  const count = offersIn.get(event) ?? readOffers(event.result).length;
  offersIn.set(event, count);
  return count;
};

interface SearchProgress {
  readonly phase: SearchPhase;
  readonly settled: readonly LegEvent[];
  /** The number of networks that have not responded. */
  readonly waiting: number;
  /** The number of offers so far. */
  readonly offers: number;
}

/** The state of the search in words. Networks without a result are never counted as those that have one. */
export const describeSearch = (
  { phase, settled, waiting, offers }: SearchProgress,
  texts: Texts['search']['status'],
): string => {
  if (phase === 'idle') return '';
  if (phase === 'searching') return texts.searching(settled.length, settled.length + waiting);
  const outcomes = settled.map(outcomeOf);
  const count = (...which: readonly Outcome[]) => outcomes.filter((outcome) => which.includes(outcome)).length;
  const failures = [
    [count('timedOut'), texts.timedOut],
    [count('unreachable', 'refused'), texts.failed],
    [count('partial'), texts.partial],
  ] as const;
  const notes = failures.flatMap(([networks, describe]) => (networks > 0 ? [describe(networks)] : []));
  const arrived = offers > 0 ? [texts.arrived(offers)] : [];
  if (phase === 'cancelled') return [texts.cancelled, ...arrived, ...notes].join(' ');
  if (phase === 'failed') return [...arrived, ...notes].join(' ');
  return [describeOffers(offers, count('done', 'partial'), texts), ...notes].join(' ');
};

const describeOffers = (offers: number, delivered: number, texts: Texts['search']['status']): string => {
  if (delivered === 0) return texts.noNetwork;
  return offers === 0 ? texts.noOffers : texts.offers(offers, delivered);
};
