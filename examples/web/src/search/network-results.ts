import { type CallbackEvent, type LegEvent, type Offer, readOffers } from '@portico/core';

/** What is known of a network: its result, or what its sellers have sent so far. */
export interface NetworkResult {
  readonly leg: string;
  readonly label: string;
  readonly results: readonly unknown[];
}

/** Settled networks in their order, then those that are pending, with the callbacks that have arrived. */
export const networkResults = (
  settled: readonly LegEvent[],
  arrived: readonly CallbackEvent[],
  labels: ReadonlyMap<string, string>,
): readonly NetworkResult[] => {
  const isSettled = new Set(settled.map(({ leg }) => leg));
  const pending = [...new Set(arrived.map(({ leg }) => leg))].filter((leg) => !isSettled.has(leg));
  return [
    ...settled.map(({ leg, trace, result }) => ({ leg, label: trace.label, results: [result] })),
    ...pending.map((leg) => ({
      leg,
      label: labels.get(leg) ?? leg,
      results: arrived.filter((callback) => callback.leg === leg).map(({ result }) => result),
    })),
  ];
};

const offersOfResult = new WeakMap<object, readonly Offer[]>();

/** Reads each result once: the list grows with each seller. */
export const offersOf = ({ leg, label, results }: NetworkResult): readonly Offer[] =>
  results.flatMap((result) => {
    if (typeof result !== 'object' || result === null) return [];
    const known = offersOfResult.get(result) ?? readOffers(result, { id: leg, label });
    offersOfResult.set(result, known);
    return known;
  });
