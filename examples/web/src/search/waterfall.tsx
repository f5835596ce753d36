import { type LegEvent, readSellerError } from '@portico/core';

/** All legs on one time axis, in the order in which they settled. */
export const Waterfall = ({ settled }: { readonly settled: readonly LegEvent[] }) => {
  const longest = Math.max(1, ...settled.map(({ trace }) => trace.elapsed_ms));
  return (
    <figure className="card wide waterfall">
      <figcaption>
        <h2>Response time by network</h2>
      </figcaption>
      <ol>
        {settled.map(({ leg, result, error, trace }) => (
          <li key={leg}>
            <span>{trace.label}</span>
            <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
              <rect className="track" width="100" height="4" />
              <rect
                className={(error ?? readSellerError(result)) ? 'failed' : 'fill'}
                width={(trace.elapsed_ms / longest) * 100}
                height="4"
              />
            </svg>
            <span className="amount">
              {trace.elapsed_ms} ms{noteOf({ result, error })}
            </span>
          </li>
        ))}
      </ol>
    </figure>
  );
};

const noteOf = ({ result, error }: Pick<LegEvent, 'result'> & { readonly error: LegEvent['error'] | undefined }) => {
  if (error) return error.kind === 'timeout' ? ', no response' : ', not reached';
  return readSellerError(result) ? ', error' : '';
};
