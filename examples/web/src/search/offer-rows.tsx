import { describeLocation, type Offer } from '@portico/core';
import { Icon } from '../design/icon.tsx';
import { Tag } from '../design/tag.tsx';
import { useFormat, useTexts } from '../texts/texts.tsx';
import { priceText } from './offer-price.ts';

/** Images are not loaded: the sellers' servers would see who searches. */
export const OfferRows = ({ offers }: { readonly offers: readonly Offer[] }) => {
  const keys = keysOf(offers);
  return (
    <ul className="offer-rows">
      {offers.map((offer, index) => (
        <OfferRow key={keys[index]} offer={offer} />
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
    const { legId, sellerId, providerId, providerName, itemId, name, terms, price } = offer;
    const key = JSON.stringify([legId, sellerId, providerId, providerName, itemId, name, terms, price]);
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return `${count} ${key}`;
  });
};

const OfferRow = ({ offer }: { readonly offer: Offer }) => {
  const texts = useTexts().search.offers;
  const { name, providerName, network, terms, description, categories, availability } = offer;
  const seller = [providerName, network].filter(Boolean).join(' · ');
  const details = [terms, description, categories?.join(', ')].filter(Boolean).join(' · ');
  return (
    <li>
      <span className="placeholder" aria-hidden="true">
        <Icon name="care" />
      </span>
      <div className="about">
        <strong>{name}</strong>
        {seller ? <span className="fine">{seller}</span> : null}
        {details ? <span className="fine">{details}</span> : null}
        <Facts offer={offer} />
        {availability?.isInStock === false ? (
          <div>
            <Tag tone="warn">{texts.notAvailable}</Tag>
          </div>
        ) : null}
      </div>
      <OfferPrice offer={offer} />
    </li>
  );
};

/** Where it is, and how it is rated. */
const Facts = ({ offer: { locations, distanceKm, rating } }: { readonly offer: Offer }) => {
  const texts = useTexts().search.offers;
  const { number } = useFormat();
  const place = [
    locations?.[0] && describeLocation(locations[0]),
    distanceKm === undefined ? undefined : texts.distance(number(distanceKm)),
  ].filter(Boolean);
  if (place.length === 0 && !rating) return null;
  return (
    <span className="fine offer-facts">
      {place.length > 0 ? (
        <span>
          <Icon name="location" /> {place.join(', ')}
        </span>
      ) : null}
      {rating ? (
        <span>
          <Icon name="star" /> {texts.rating(number(rating.value), rating.count)}
        </span>
      ) : null}
    </span>
  );
};

const OfferPrice = ({ offer: { price } }: { readonly offer: Offer }) => {
  const texts = useTexts().search.offers;
  const format = useFormat();
  const shown = price && priceText(price, format, texts.price);
  if (!shown) return <span className="price fine">{texts.priceOnRequest}</span>;
  return (
    <span className="price">
      <strong>{shown.main}</strong>
      {shown.listed === undefined ? null : <span className="fine">{shown.listed}</span>}
    </span>
  );
};
