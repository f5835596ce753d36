import { type LegEvent, readSellerError, readSellerErrors, type SellerError } from '@portico/core';
import { useState } from 'react';
import { missing } from '../texts/format.ts';
import { useTexts } from '../texts/texts.tsx';

/** What an engineer needs to follow the search of one network. */
export const NetworkDetails = ({ event }: { readonly event: LegEvent }) => {
  const texts = useTexts().search.networks;
  const [isOpen, setIsOpen] = useState(false);
  const { trace, result } = event;
  const { facts } = texts;
  const errors = errorsOf(event);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        {texts.details}
        <span className="visually-hidden">: {trace.label}</span>
      </summary>
      <dl className="facts">
        <dt>{facts.transaction}</dt>
        <dd className="mono">{trace.transaction_id}</dd>
        <dt>{facts.time}</dt>
        <dd>{trace.elapsed_ms} ms</dd>
        {errors.map((error) => (
          <Fact key={error} term={facts.error} text={error} />
        ))}
        {(trace.sellers ?? []).map(({ bpp_id: id, elapsed_ms: ms }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a seller may send several callbacks
          <Fact key={index} term={facts.seller} text={`${id ?? texts.unknownSeller}, ${ms} ms`} />
        ))}
      </dl>
      {/* Serialized only when it is opened: a response may be megabytes long. */}
      {isOpen && (result ?? null) !== null ? (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that it can be scrolled by keyboard
        <pre role="region" tabIndex={0} aria-label={`${texts.response}: ${trace.label}`}>
          {JSON.stringify(result, undefined, 2)}
        </pre>
      ) : null}
    </details>
  );
};

const Fact = ({ term, text }: { readonly term: string; readonly text: string }) => (
  <>
    <dt>{term}</dt>
    <dd>{text}</dd>
  </>
);

/** Why a network, or some of its sellers, have no offers, as they reported it. */
const errorsOf = ({ result, error }: LegEvent): readonly string[] => {
  const seller = readSellerError(result);
  const ofLeg = error?.kind === undefined ? [] : [[error.kind, error.detail].filter(Boolean).join(': ')];
  const ofSellers = [...(seller ? [seller] : []), ...readSellerErrors(error)].map(describeSellerError);
  return [...new Set([...ofLeg, ...ofSellers])];
};

const describeSellerError = ({ code, message, sellerId }: SellerError & { readonly sellerId?: string }): string =>
  [sellerId, code, message].filter(Boolean).join(': ') || missing;
