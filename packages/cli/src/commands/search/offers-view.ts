import {
  describeLocation,
  describePrice,
  filterOffers,
  type LegEvent,
  type Offer,
  type OfferFilter,
  type OfferOrder,
  readOffers,
  sortOffers,
} from '@portico/core';
import { price } from '../../output/field.ts';
import { legError, sellerErrors } from './leg-error.ts';
import type { View } from '../../output/print.ts';
import { type Screen, stripControlCharacters } from '../../output/screen.ts';
import { table } from '../../output/table.ts';

/** The response body of `POST /api/search`. */
export type SearchResult = Readonly<Record<string, unknown>> & {
  readonly errors?: Readonly<Record<string, LegEvent['error']>>;
  readonly traces: Readonly<Record<string, LegEvent['trace']>>;
};

/** Which offers are shown, and in which order. Default: all, in the order of the legs. */
export interface OfferOptions extends OfferFilter {
  readonly order?: OfferOrder | undefined;
}

/** Shows a line per leg, with its error, and then one table with the offers of all legs. */
export const offersView = (options: OfferOptions): View =>
  Object.assign(
    (value: unknown, screen: Screen): string => {
      const legs = shownLegs(value as SearchResult, options);
      const lines = legs.map((leg) => legLines(leg, screen)).join('');
      if (legs.length === 0) return 'No offers: none of these networks is searched for this persona.\n';
      const all = legs.flatMap(offersOf);
      if (all.length === 0) return legs.every((leg) => legError(leg)) ? lines : `${lines}\nNo offers.\n`;
      const offers = arranged(all, options);
      return `${lines}\n${offers.length === 0 ? 'No offers match the filter.\n' : offerTable(offers, screen)}${restOf(offers)}`;
    },
    { rows: (value: unknown): readonly unknown[] => csvRows(value as SearchResult, options) },
  );

interface ShownLeg {
  readonly id: string;
  readonly result: unknown;
  readonly error?: LegEvent['error'];
  readonly trace: LegEvent['trace'];
}

const shownLegs = ({ errors = {}, traces, ...results }: SearchResult, { legs }: OfferFilter): readonly ShownLeg[] =>
  Object.entries(traces)
    .filter(([id]) => !legs || legs.includes(id))
    .map(([id, trace]) => ({ id, trace, result: results[id], ...(errors[id] && { error: errors[id] }) }));

const offersOf = ({ id, result, trace }: ShownLeg): readonly Offer[] => readOffers(result, { id, label: trace.label });

const arranged = (offers: readonly Offer[], { order, ...filter }: OfferOptions): readonly Offer[] => {
  const kept = filterOffers(offers, filter);
  return order === undefined ? kept : sortOffers(kept, order);
};

const legLines = (leg: ShownLeg, screen: Screen): string => {
  const { id, trace } = leg;
  const heading = `${screen.style('bold', `${stripControlCharacters(id)}: ${stripControlCharacters(trace.label)}`)}  ${trace.elapsed_ms} ms  ${screen.style('dim', stripControlCharacters(trace.transaction_id))}\n`;
  const errors = [legError(leg) ?? [], sellerErrors(leg)].flat();
  return heading + errors.map((error) => `${screen.style('red', stripControlCharacters(error))}\n`).join('');
};

/**
 * A catalog of 2 MB may have 150 000 items that share long texts of their provider and its categories. A table or file with
 * all of them would exceed the longest possible string, and nothing would be printed.
 */
const mostTableRows = 1000;
const mostCsvRows = 100_000;
const longestSharedText = 500;

const shortened = (text: string): string =>
  text.length <= longestSharedText ? text : `${text.slice(0, longestSharedText - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

const restOf = ({ length }: readonly Offer[]): string =>
  length > mostTableRows ? `(${length - mostTableRows} more offers; use --filter, or --json for all)\n` : '';

const columns = [
  { title: 'Offer', cell: titleOf },
  { title: 'Price', cell: priceOf, align: 'right' as const },
  { title: 'Seller', cell: ({ providerName }: Offer) => providerName },
  { title: 'Network', cell: ({ legId = '' }: Offer) => legId },
  { title: 'Category', cell: ({ categories = [] }: Offer) => shortened(categories.join(', ')), isWide: true },
  { title: 'Location', cell: locationOf, isWide: true },
  { title: 'Rating', cell: ratingOf, isWide: true },
  { title: 'Description', cell: ({ description = '' }: Offer) => description, isWide: true },
];

const offerTable = (offers: readonly Offer[], screen: Screen): string => {
  const rows = offers
    .slice(0, mostTableRows)
    .map((offer) => columns.map(({ cell }) => stripControlCharacters(cell(offer))));
  const used = columns.map((_, index) => rows.some((row) => row[index] !== ''));
  const kept = <T>(cells: readonly T[]) => cells.filter((_, index) => used[index]);
  return table(kept(columns), rows.map(kept), screen);
};

function titleOf({ name, terms, availability }: Offer): string {
  const title = terms === undefined ? name : `${name} (${terms})`;
  return availability?.isInStock === false ? `${title} (not available)` : title;
}

function priceOf({ price: found }: Offer): string {
  return found ? describePrice(found, (amount) => price(amount, found.currency)) : '';
}

function locationOf({ locations = [], distanceKm }: Offer): string {
  const [first, ...others] = locations.map(describeLocation);
  const place = others.length === 0 ? first : `${first} and ${others.length} more`;
  return [place, distanceKm === undefined ? undefined : `${Number(distanceKm.toFixed(1))} km`]
    .filter((part) => part !== undefined)
    .join(', ');
}

function ratingOf({ rating }: Offer): string {
  if (!rating) return '';
  return rating.count === undefined ? String(rating.value) : `${rating.value} (${rating.count})`;
}

/** A row per offer, after a row per leg and seller that failed. */
const csvRows = (result: SearchResult, options: OfferOptions): readonly unknown[] => {
  const legs = shownLegs(result, options);
  const failures = legs.flatMap((leg): readonly object[] => [
    // A leg is also delivered by an error of its seller.
    ...(legError(leg) ? [{ leg: leg.id, error: (leg.result ?? null) === null ? leg.error?.kind : legError(leg) }] : []),
    ...sellerErrors(leg).map((error) => ({ leg: leg.id, error })),
  ]);
  const offers = arranged(legs.flatMap(offersOf), options);
  const rest = offers.length - mostCsvRows;
  const cut = rest > 0 ? [{ error: `${rest} more offers; use --filter, or --json for all` }] : [];
  return [...failures, ...cut, ...offers.slice(0, mostCsvRows).map(csvRow)];
};

const csvRow = (offer: Offer): object => {
  const { price: { value, offeredValue, ...price } = { currency: undefined }, rating } = offer;
  return {
    leg: offer.legId,
    provider: offer.providerName,
    offer: offer.name,
    price: offeredValue ?? value,
    ...price,
    description: offer.description,
    terms: offer.terms,
    category: offer.categories && shortened(offer.categories.join(', ')),
    location: offer.locations && shortened(offer.locations.map(describeLocation).join('; ')),
    distanceKm: offer.distanceKm,
    rating: rating?.value,
    sellerId: offer.sellerId && shortened(offer.sellerId),
  };
};
