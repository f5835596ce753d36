import type { LegOutcome, SearchAnswer } from './correlator.ts';

/** One leg as it settled: what `legOutcomeText` says, and the event `leg` of the stream (contract, section 5). */
export interface LegEvent {
  readonly leg: string;
  /** The callback as it came, or null where there is an error. */
  readonly result: unknown;
  readonly error?: { readonly kind: string; readonly detail: string };
  readonly trace: { readonly transaction_id: string; readonly elapsed_ms: number; readonly label: string };
}

/** The answer to a search as JSON text (contract, section 5): each callback stands in it as it came. */
export const searchAnswerText = ({ elapsedMs, legs }: SearchAnswer): string => {
  const results = legs.map((outcome) => `${JSON.stringify(outcome.leg.id)}:${resultText(outcome)}`);
  const failed = legs.flatMap((outcome) => ('error' in outcome ? [[outcome.leg.id, outcome.error] as const] : []));
  const errors = failed.length > 0 ? [`"errors":${JSON.stringify(Object.fromEntries(failed))}`] : [];
  const traces = JSON.stringify(Object.fromEntries(legs.map((outcome) => [outcome.leg.id, traceOf(outcome)])));
  return `{${[`"elapsed_ms":${elapsedMs}`, ...results, ...errors, `"traces":${traces}`].join(',')}}`;
};

/** One leg's part of the answer, as it is streamed when the leg settles: the JSON of a `LegEvent`. */
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
