import { type Offer, readOffers, readSellerError, type SellerError } from '@portico/core';
import { useId, useState } from 'react';
import type { LegErrorJson, LegEvent } from '@portico/core';
import { ErrorBoundary } from '../ui/error-boundary.tsx';

interface LegColumnProps {
  readonly label: string;
  readonly event: LegEvent | undefined;
}

/** The result of one network, or a note that it is pending. */
export const LegColumn = ({ label, event }: LegColumnProps) => {
  const heading = useId();
  return (
    <section className="card leg" aria-labelledby={heading} aria-busy={event === undefined}>
      <h2 id={heading}>{label}</h2>
      {event ? (
        <ErrorBoundary value={event} fallback={<p className="error">This result cannot be shown.</p>}>
          <Settled event={event} />
        </ErrorBoundary>
      ) : (
        <p className="empty">Waiting for this network …</p>
      )}
    </section>
  );
};

const Settled = ({ event: { result, error, trace } }: { readonly event: LegEvent }) => (
  <>
    <p className="fine">
      {trace.elapsed_ms} ms · <span className="mono">{trace.transaction_id}</span>
    </p>
    {error?.kind !== undefined ? <p className="error">{describeError(error)}</p> : <Delivered result={result} />}
  </>
);

/** The offers of a network, or the error that the seller sent instead. */
const Delivered = ({ result }: { readonly result: unknown }) => {
  const sellerError = readSellerError(result);
  return (
    <>
      {sellerError ? (
        <p className="error">{describeSellerError(sellerError)}</p>
      ) : (
        <Offers offers={readOffers(result)} />
      )}
      <RawResponse result={result} />
    </>
  );
};

/** Serialized only when it is opened: a response may be megabytes long. */
const RawResponse = ({ result }: { readonly result: unknown }) => {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Raw response</summary>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that it can be scrolled by keyboard */}
      {isOpen ? <pre tabIndex={0}>{JSON.stringify(result, undefined, 2)}</pre> : null}
    </details>
  );
};

const describeError = ({ kind, detail = '' }: LegErrorJson): string =>
  kind === 'timeout'
    ? `This network did not respond in time (${detail}).`
    : `This network could not be reached (${detail}).`;

const describeSellerError = ({ code, message }: SellerError): string =>
  `The seller returned an error${message && `: ${message}`}${code && ` (${code})`}.`;

const Offers = ({ offers }: { readonly offers: readonly Offer[] }) =>
  offers.length === 0 ? (
    <p className="empty">No offers.</p>
  ) : (
    <ul className="rows">
      {offers.map((offer) => (
        <li key={`${offer.providerId || offer.providerName} ${offer.itemId || offer.name}`}>
          <div>
            <strong>{offer.name}</strong>
            <span className="fine">{[offer.providerName, offer.description].filter(Boolean).join(' · ')}</span>
          </div>
          {offer.price ? (
            <span className="end amount">
              {offer.price.value} {offer.price.currency}
            </span>
          ) : null}
        </li>
      ))}
    </ul>
  );
