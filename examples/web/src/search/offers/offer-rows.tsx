import { describeLocation, type Offer } from '@portico/core';
import { pageIconPaths } from '../../design/data/page-icon-paths.ts';
import { Icon } from '../../design/icon.tsx';
import { Tag } from '../../design/tag.tsx';
import { useFormat, useTexts } from '../../texts/texts.tsx';
import { offerKey } from './arrived-offers.ts';
import { offerIconPaths } from './offer-icon-paths.ts';
import { priceText } from './offer-price.ts';

/** Offers, none of which are equal. Images are not loaded: the sellers' servers would see who searches. */
export const OfferRows = ({ offers }: { readonly offers: readonly Offer[] }) => (
  <ul className="offer-rows">
    {offers.map((offer) => (
      <OfferRow key={offerKey(offer)} offer={offer} />
    ))}
  </ul>
);

const OfferRow = ({ offer }: { readonly offer: Offer }) => {
  const texts = useTexts().search.offers;
  const { name, providerName, network, terms, description, categories, availability } = offer;
  const seller = [providerName, network].filter(Boolean).join(' · ');
  const details = [terms, description, categories?.join(', ')].filter(Boolean).join(' · ');
  return (
    <li>
      <span className="placeholder" aria-hidden="true">
        <Icon icon={pageIconPaths.care} />
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
          <Icon icon={offerIconPaths.location} /> {place.join(', ')}
        </span>
      ) : null}
      {rating ? (
        <span>
          <Icon icon={offerIconPaths.star} /> {texts.rating(number(rating.value), rating.count)}
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
