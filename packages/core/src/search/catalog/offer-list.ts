import { describeLocation } from './location.ts';
import type { Offer, Price } from './offer.ts';
import { comparableAmount } from './price.ts';

export const offerOrders = ['name', 'price', 'distance', 'rating'] as const;

export type OfferOrder = (typeof offerOrders)[number];

/**
 * Sorts offers of all networks: by name, from the lowest price, from the nearest, or from the best rating. Offers without
 * the compared value are last; equal offers keep their order. Prices are compared within one currency only: the currency of
 * the first offer comes first.
 */
export const sortOffers = (offers: readonly Offer[], order: OfferOrder): readonly Offer[] => {
  if (order === 'name') return sortedBy(offers, ({ name }) => name, collator.compare);
  return sortedBy(offers, ranks[order](offers), compareRanks);
};

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

/** Two numbers, of which the first counts more. Undefined is last. */
type Rank = readonly [number, number] | undefined;

const ranks: Readonly<Record<Exclude<OfferOrder, 'name'>, (offers: readonly Offer[]) => (offer: Offer) => Rank>> = {
  price: (offers) => {
    const currencies = new Map<string, number>();
    for (const { price } of offers)
      if (price && !currencies.has(price.currency)) currencies.set(price.currency, currencies.size);
    const rankOf = (price: Price): Rank => {
      const amount = comparableAmount(price);
      return amount === undefined ? undefined : [currencies.get(price.currency) ?? 0, amount];
    };
    return ({ price }) => price && rankOf(price);
  },
  distance:
    () =>
    ({ distanceKm }) =>
      distanceKm === undefined ? undefined : [0, distanceKm],
  rating:
    () =>
    ({ rating }) =>
      rating && [0, -rating.value],
};

const compareRanks = (one: Rank, other: Rank): number => {
  if (!one || !other) return Number(!one) - Number(!other);
  return one[0] - other[0] || one[1] - other[1];
};

/** Computes each key once. `toSorted` is stable. */
const sortedBy = <Key>(
  offers: readonly Offer[],
  keyOf: (offer: Offer) => Key,
  compare: (one: Key, other: Key) => number,
): readonly Offer[] =>
  offers
    .map((offer) => [keyOf(offer), offer] as const)
    .toSorted(([one], [other]) => compare(one, other))
    .map(([, offer]) => offer);

/** Which offers are shown. */
export interface OfferFilter {
  /** Each word must occur in the name, description, terms, seller, network, category or location, in any case. */
  readonly text?: string | undefined;
  /** Ids of legs. Default: all. */
  readonly legs?: readonly string[] | undefined;
}

export const filterOffers = (offers: readonly Offer[], { text = '', legs }: OfferFilter): readonly Offer[] => {
  const ofLegs = legs ? offers.filter(({ legId }) => legs.some((leg) => leg === legId)) : offers;
  const words = text.toLowerCase().match(/\S+/g);
  return words ? withWords(ofLegs, words) : ofLegs;
};

const withWords = (offers: readonly Offer[], words: readonly string[]): readonly Offer[] => {
  const placesOf = placesReader();
  return offers.filter((offer) => {
    const searched = searchedTextOf(offer);
    return words.every((word) => searched.includes(word) || placesOf(offer)?.includes(word));
  });
};

const searchedTextOf = (offer: Offer): string =>
  [offer.name, offer.description, offer.terms, offer.providerName, offer.network, offer.categories?.join('\n')]
    .join('\n')
    .toLowerCase();

/** Reads each list of locations once: all offers of a provider may share one with long texts. */
const placesReader = (): ((offer: Offer) => string | undefined) => {
  const known = new Map<Offer['locations'], string | undefined>();
  return ({ locations }) => {
    const text = known.get(locations) ?? locations?.map(describeLocation).join('\n').toLowerCase();
    known.set(locations, text);
    return text;
  };
};
