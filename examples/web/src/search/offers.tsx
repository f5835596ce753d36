import {
  describeLocation,
  describePrice,
  filterOffers,
  type Offer,
  type OfferOrder,
  offerOrders,
  sortOffers,
} from '@portico/core';
import { useDeferredValue, useId, useMemo, useState } from 'react';
import { Button } from '../design/button.tsx';
import { formatFor } from '../texts/format.ts';
import { type NetworkResult, offersOf } from './network-results.ts';

const { money } = formatFor('en-US');

const pageSize = 50;

const orderNames: Readonly<Record<OfferOrder, string>> = {
  name: 'Name',
  price: 'Lowest price',
  distance: 'Nearest',
  rating: 'Best rating',
};

/** The offers of all networks in one list. Images are not loaded: the sellers' servers would see who searches. */
export const Offers = ({
  networks,
  isPending,
}: {
  readonly networks: readonly NetworkResult[];
  readonly isPending: boolean;
}) => {
  const heading = useId();
  const [order, setOrder] = useState('');
  const [text, setText] = useState('');
  const [limit, setLimit] = useState(pageSize);
  const filter = useDeferredValue(text);
  const all = useMemo(() => networks.flatMap(offersOf), [networks]);
  const offers = useMemo(() => arranged(all, order, filter), [all, order, filter]);
  return (
    <section className="card wide" aria-labelledby={heading}>
      <h2 id={heading}>Offers</h2>
      {all.length > 0 ? (
        <div className="search">
          <label className="field">
            <span>Sort by</span>
            <select value={order} onChange={({ target }) => setOrder(target.value)}>
              <option value="">Network</option>
              {offerOrders.map((name) => (
                <option key={name} value={name}>
                  {orderNames[name]}
                </option>
              ))}
            </select>
          </label>
          <label className="field grow">
            <span>Filter</span>
            <input type="search" maxLength={256} value={text} onChange={({ target }) => setText(target.value)} />
          </label>
        </div>
      ) : null}
      <output className="fine">{all.length > 0 ? `${offers.length} of ${all.length} offers` : ''}</output>
      <OfferRows offers={offers.slice(0, limit)} empty={emptyText(all.length, isPending)} />
      {offers.length > limit ? (
        <Button look="quiet" onClick={() => setLimit(limit + pageSize)}>
          Show more offers
        </Button>
      ) : null}
    </section>
  );
};

const arranged = (offers: readonly Offer[], order: string, text: string): readonly Offer[] => {
  const kept = filterOffers(offers, { text });
  const known = offerOrders.find((name) => name === order);
  return known === undefined ? kept : sortOffers(kept, known);
};

const emptyText = (count: number, isPending: boolean): string => {
  if (count > 0) return 'No offers match the filter.';
  return isPending ? 'Waiting for offers …' : 'No offers.';
};

export const OfferRows = ({ offers, empty }: { readonly offers: readonly Offer[]; readonly empty: string }) => {
  if (offers.length === 0) return <p className="empty">{empty}</p>;
  const keys = keysOf(offers);
  return (
    <ul className="rows">
      {offers.map((offer, index) => (
        <li key={keys[index]}>
          <div>
            <strong>{offer.name}</strong>
            <span className="fine">{joined(offer.providerName, offer.network)}</span>
            <span className="fine">{detailsOf(offer)}</span>
          </div>
          {offer.price ? <span className="end amount price">{priceOf(offer)}</span> : null}
        </li>
      ))}
    </ul>
  );
};

/**
 * Several offers may have the same ids and texts: those of two callbacks of one seller, or terms of an item with the same
 * name and price. With one key for both, React would keep rows that the list no longer has.
 */
export const keysOf = (offers: readonly Offer[]): readonly string[] => {
  const counts = new Map<string, number>();
  return offers.map((offer) => {
    const { legId, sellerId, providerId, providerName, itemId, name } = offer;
    const key = JSON.stringify([legId, sellerId, providerId, providerName, itemId, name, termsOf(offer)]);
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return `${count} ${key}`;
  });
};

const joined = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(' · ');

const termsOf = (offer: Offer): string => joined(offer.terms, priceOf(offer));

const detailsOf = ({ terms, description, categories, locations, distanceKm, rating, availability }: Offer): string =>
  joined(
    availability?.isInStock === false ? 'Not available' : undefined,
    terms,
    description,
    categories?.join(', '),
    locations?.[0] && describeLocation(locations[0]),
    distanceKm === undefined ? undefined : `${Number(distanceKm.toFixed(1))} km`,
    rating && `Rating ${rating.value}${rating.count === undefined ? '' : ` (${rating.count})`}`,
  );

/** Amounts are decimal numbers; anything else is shown as sent. */
const priceOf = ({ price }: Offer): string | undefined =>
  price &&
  describePrice(price, (amount) =>
    /^-?\d{1,12}(?:\.\d{1,4})?$/.test(amount) && /^[A-Za-z]{3}$/.test(price.currency)
      ? money(Number(amount), price.currency)
      : `${amount} ${price.currency}`.trim(),
  );
