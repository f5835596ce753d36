import type { LegOutcome, SellerCallback } from './leg-outcome.ts';
import type { SearchResponse } from './correlator.ts';
import type { SellerError } from './catalog.ts';

/** An error that a seller sent instead of a catalog. */
export interface SellerErrorJson extends SellerError {
  readonly bpp_id: string | null;
  readonly message_id: string | null;
}

/** `kind` and `detail` are present when the leg has no result, `sellers` when sellers sent errors. */
export interface LegErrorJson {
  readonly kind?: string;
  readonly detail?: string;
  readonly sellers?: readonly SellerErrorJson[];
}

export interface LegTrace {
  readonly transaction_id: string;
  readonly elapsed_ms: number;
  readonly label: string;
  /** The error of the seller, if the result is the body of a seller that sent one. */
  readonly seller_error?: SellerError;
  /** Every callback of a leg that collects, in the order of arrival. */
  readonly sellers?: readonly {
    readonly bpp_id: string | null;
    readonly message_id: string | null;
    readonly elapsed_ms: number;
  }[];
}

/** The event `leg` of a streamed search (contract, section 5); `legOutcomeText` returns it as JSON. */
export interface LegEvent {
  readonly leg: string;
  /** The callback body, `{"responses": [body, ...]}` of a leg that collects, or null if there is no result. */
  readonly result: unknown;
  readonly error?: LegErrorJson;
  readonly trace: LegTrace;
}

/** The event `callback` of a streamed search (contract, section 13); `sellerCallbackText` returns it as JSON. */
export interface CallbackEvent {
  readonly leg: string;
  readonly bpp_id: string | null;
  /** The callback body, or null if there is an error. */
  readonly result: unknown;
  readonly error?: SellerError;
}

/** Serializes the search response as JSON (contract, sections 5 and 13). Callback bodies are inserted byte for byte. */
export const searchResponseText = ({ elapsedMs, legs }: SearchResponse): string => {
  const results = legs.map((outcome) => `${JSON.stringify(outcome.leg.id)}:${resultText(outcome)}`);
  const failed = legs.flatMap((outcome) => {
    const error = errorOf(outcome);
    return error ? [[outcome.leg.id, error] as const] : [];
  });
  const errors = failed.length > 0 ? [`"errors":${JSON.stringify(Object.fromEntries(failed))}`] : [];
  const traces = JSON.stringify(Object.fromEntries(legs.map((outcome) => [outcome.leg.id, traceOf(outcome)])));
  return `{${[`"elapsed_ms":${elapsedMs}`, ...results, ...errors, `"traces":${traces}`].join(',')}}`;
};

/** Serializes one leg as a `LegEvent`, which is streamed when the leg settles. */
export const legOutcomeText = (outcome: LegOutcome): string => {
  const error = errorOf(outcome);
  const errorText = error ? `,"error":${JSON.stringify(error)}` : '';
  return `{"leg":${JSON.stringify(outcome.leg.id)},"result":${resultText(outcome)}${errorText},"trace":${JSON.stringify(traceOf(outcome))}}`;
};

/** Serializes one callback of a leg that collects as a `CallbackEvent`, which is streamed when it arrives. */
export const sellerCallbackText = ({ leg, sellerId, callback, error }: SellerCallback): string => {
  const result = error ? `null,"error":${JSON.stringify(error)}` : callback.text;
  return `{"leg":${JSON.stringify(leg.id)},"bpp_id":${JSON.stringify(sellerId)},"result":${result}}`;
};

const resultText = (outcome: LegOutcome): string => ('callback' in outcome ? outcome.callback.text : 'null');

const errorOf = (outcome: LegOutcome): LegErrorJson | undefined => {
  const sellers = (outcome.sellers ?? []).flatMap(({ sellerId, messageId, error }) =>
    error ? [{ bpp_id: sellerId, message_id: messageId, ...error }] : [],
  );
  if (!('error' in outcome) && sellers.length === 0) return undefined;
  return { ...('error' in outcome && outcome.error), ...(sellers.length > 0 && { sellers }) };
};

const traceOf = (outcome: LegOutcome): LegTrace => ({
  transaction_id: outcome.transactionId,
  elapsed_ms: outcome.elapsedMs,
  label: outcome.leg.label,
  ...(outcome.sellerError && { seller_error: outcome.sellerError }),
  ...(outcome.sellers && {
    sellers: outcome.sellers.map(({ sellerId, messageId, elapsedMs }) => ({
      bpp_id: sellerId,
      message_id: messageId,
      elapsed_ms: elapsedMs,
    })),
  }),
});
