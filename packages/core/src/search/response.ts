import type { LegOutcome, SearchResponse } from './correlator.ts';

/** The event `leg` of a streamed search (contract, section 5); `legOutcomeText` returns it as JSON. */
export interface LegEvent {
  readonly leg: string;
  /** The callback body, or null if there is an error. */
  readonly result: unknown;
  readonly error?: { readonly kind: string; readonly detail: string };
  readonly trace: { readonly transaction_id: string; readonly elapsed_ms: number; readonly label: string };
}

/** Serializes the search response as JSON (contract, section 5). Callback bodies are inserted byte for byte. */
export const searchResponseText = ({ elapsedMs, legs }: SearchResponse): string => {
  const results = legs.map((outcome) => `${JSON.stringify(outcome.leg.id)}:${resultText(outcome)}`);
  const failed = legs.flatMap((outcome) => ('error' in outcome ? [[outcome.leg.id, outcome.error] as const] : []));
  const errors = failed.length > 0 ? [`"errors":${JSON.stringify(Object.fromEntries(failed))}`] : [];
  const traces = JSON.stringify(Object.fromEntries(legs.map((outcome) => [outcome.leg.id, traceOf(outcome)])));
  return `{${[`"elapsed_ms":${elapsedMs}`, ...results, ...errors, `"traces":${traces}`].join(',')}}`;
};

/** Serializes one leg as a `LegEvent`, which is streamed when the leg settles. */
export const legOutcomeText = (outcome: LegOutcome): string => {
  const error = 'error' in outcome ? `,"error":${JSON.stringify(outcome.error)}` : '';
  return `{"leg":${JSON.stringify(outcome.leg.id)},"result":${resultText(outcome)}${error},"trace":${JSON.stringify(traceOf(outcome))}}`;
};

const resultText = (outcome: LegOutcome): string => ('callback' in outcome ? outcome.callback.text : 'null');

const traceOf = ({ transactionId, elapsedMs, leg }: LegOutcome) => ({
  transaction_id: transactionId,
  elapsed_ms: elapsedMs,
  label: leg.label,
});
