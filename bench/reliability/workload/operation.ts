import type { Expectation } from '../oracle/expectations.ts';
import type { RequestOptions } from '../client.ts';

/** A request, and the outcomes that the contract allows. */
export interface Operation {
  /** The kind of operation, without private data. */
  readonly title: string;
  readonly route: string;
  readonly allowed: Expectation;
  readonly options: RequestOptions;
}

/** Makes the operations of one kind; `nth` selects the variant. */
export type OperationKind = (nth: number) => Operation;

/** If one outcome is allowed, no fault affects the operation. */
export const operation = (
  title: string,
  route: string,
  allowed: string | Expectation,
  options: RequestOptions = {},
): Operation => ({ title, route, allowed: typeof allowed === 'string' ? () => [allowed] : allowed, options });

export type WeightedKind = readonly [OperationKind, weight: number];

/** Cycles through kinds of operations, each as often as its weight and evenly spread. */
export const weightedCycle = (weights: readonly WeightedKind[]): (() => Operation) => {
  const cycle = weights
    .flatMap(([kind, weight]) => Array.from({ length: weight }, (_, index) => ({ kind, weight, index })))
    .toSorted((one, other) => (one.index + 0.5) / one.weight - (other.index + 0.5) / other.weight);
  let turn = 0;
  return () => {
    const { kind, weight, index } = cycle[turn % cycle.length]!;
    return kind(Math.floor(turn++ / cycle.length) * weight + index);
  };
};
