import {
  type CallbackEvent,
  type LegErrorJson,
  type LegEvent,
  readOffers,
  readSellerError,
  readSellerErrors,
  type SellerError,
} from '@portico/core';
import { useId, useMemo, useState } from 'react';

interface NetworksProps {
  /** In the order in which they settled. */
  readonly settled: readonly LegEvent[];
  readonly waiting: readonly { readonly id: string; readonly label: string }[];
  /** Callbacks of networks that collect them. */
  readonly arrived: readonly CallbackEvent[];
}

/** One line per network on one time axis: settled ones first, then those that are pending. */
export const Networks = ({ settled, waiting, arrived }: NetworksProps) => {
  const heading = useId();
  const longest = Math.max(1, ...settled.map(({ trace }) => trace.elapsed_ms));
  return (
    <section className="card wide waterfall" aria-labelledby={heading} aria-busy={waiting.length > 0}>
      <h2 id={heading}>Networks</h2>
      <ol>
        {settled.map((event) => (
          <Network key={event.leg} event={event} longest={longest} />
        ))}
        {waiting.map(({ id, label }) => (
          <li key={id}>
            <span>{label}</span>
            <Bar />
            <span className="amount">{progressOf(arrived.filter(({ leg }) => leg === id).length)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
};

const Network = ({ event, longest }: { readonly event: LegEvent; readonly longest: number }) => {
  const { result, trace } = event;
  const errors = errorsOf(event);
  const count = useMemo(() => readOffers(result).length, [result]);
  const hasResult = (result ?? null) !== null;
  const isFailed = !hasResult || readSellerError(result) !== undefined;
  return (
    <li>
      <span>{trace.label}</span>
      <Bar width={(trace.elapsed_ms / longest) * 100} isFailed={isFailed} />
      <span className="amount">
        {trace.elapsed_ms} ms, {isFailed ? 'failed' : countOf(count)}
      </span>
      {errors.map((error) => (
        <p className="error" key={error}>
          {error}
        </p>
      ))}
      <Details label={trace.label} transactionId={trace.transaction_id} result={hasResult ? result : undefined} />
    </li>
  );
};

const progressOf = (sellers: number): string => {
  if (sellers === 0) return 'Waiting …';
  return sellers === 1 ? '1 seller …' : `${sellers} sellers …`;
};

const countOf = (count: number): string => (count === 1 ? '1 offer' : `${count} offers`);

const Bar = ({ width, isFailed = false }: { readonly width?: number; readonly isFailed?: boolean }) => (
  <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
    <rect className="track" width="100" height="4" />
    {width === undefined ? null : <rect className={isFailed ? 'failed' : 'fill'} width={width} height="4" />}
  </svg>
);

interface DetailsProps {
  readonly label: string;
  readonly transactionId: string;
  readonly result: unknown;
}

/** Serialized only when it is opened: a response may be megabytes long. */
const Details = ({ label, transactionId, result }: DetailsProps) => {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        Raw response<span className="visually-hidden">: {label}</span>
      </summary>
      <p className="fine">
        Transaction <span className="mono">{transactionId}</span>
      </p>
      {isOpen && result !== undefined ? (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that it can be scrolled by keyboard
        <pre tabIndex={0}>{JSON.stringify(result, undefined, 2)}</pre>
      ) : null}
    </details>
  );
};

/** Why a network, or some of its sellers, have no offers. */
const errorsOf = ({ result, error }: LegEvent): readonly string[] => {
  const seller = readSellerError(result);
  return [
    ...(error && (result ?? null) === null ? [describeError(error)] : []),
    ...(seller ? [describeSellerError(seller)] : []),
    ...new Set(readSellerErrors(error).map(describeSellerError)),
  ];
};

const describeError = ({ kind, detail = '' }: LegErrorJson): string =>
  kind === 'timeout'
    ? `This network did not respond in time (${detail}).`
    : `This network could not be reached (${detail}).`;

const describeSellerError = ({ code, message, sellerId }: SellerError & { readonly sellerId?: string }): string =>
  `${sellerId ? `The seller ${sellerId}` : 'The seller'} returned an error${message && `: ${message}`}${code && ` (${code})`}.`;
