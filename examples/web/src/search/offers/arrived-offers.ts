import { type Offer, readOffers } from '@portico/core';

/** A callback of a network, or its whole result. */
export interface ArrivedResult {
  /** The id of the network. */
  readonly leg: string;
  readonly result: unknown;
}

/**
 * Identifies an offer. Ids alone do not: sellers and items may lack them, and several terms of an item may have the same
 * name, or none. Such offers differ in their price.
 */
export const offerKey = ({ legId, sellerId, providerId, providerName, itemId, name, terms, price }: Offer): string =>
  JSON.stringify([legId, sellerId, providerId || providerName, itemId, name, terms, price]);

/**
 * The offers of all networks in the order of arrival, so that new ones do not move those that are shown. Of several
 * equal offers, the first. `labels` has the names of the networks.
 */
export const offersIn = (results: readonly ArrivedResult[], labels: ReadonlyMap<string, string>): readonly Offer[] => {
  const offers = new Map<string, Offer>();
  for (const offer of results.flatMap(({ leg, result }) => offersOf(result, leg, labels.get(leg) ?? leg))) {
    const key = offerKey(offer);
    if (!offers.has(key)) offers.set(key, offer);
  }
  return [...offers.values()];
};

const known = new WeakMap<object, { readonly label: string; readonly offers: readonly Offer[] }>();

/** Reads each result once: the list grows with each seller. */
const offersOf = (result: unknown, id: string, label: string): readonly Offer[] => {
  if (typeof result !== 'object' || result === null) return [];
  const before = known.get(result);
  if (before?.label === label) return before.offers;
  const offers = readOffers(result, { id, label });
  known.set(result, { label, offers });
  return offers;
};
