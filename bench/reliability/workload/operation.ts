import type { Dispatcher } from 'undici';
import { always, type Expectation } from '../oracle/expectations.ts';
import { describe, type RequestOptions, send } from './client.ts';

/** An action of a client, and the outcomes that the contract allows. */
export interface Operation {
  /** The kind of operation, without private data. */
  readonly title: string;
  /** The downstream service that it needs. */
  readonly service?: string;
  /** Performs it and describes the outcome. Never rejects. */
  run(client: Dispatcher): Promise<string>;
  readonly isExpected: Expectation;
}

/** Makes the operations of one kind; `nth` selects the variant. */
export type OperationKind = (nth: number) => Operation;

/** An operation of one request, which no fault affects. */
export const unaffected = (
  title: string,
  route: string,
  expected: string,
  options: RequestOptions = {},
): Operation => ({
  title,
  run: async (client) => describe(await send(client, route, options)),
  isExpected: always(expected),
});

/** Cycles through kinds of operations, each as often as its weight and evenly spread. */
export const weightedCycle = (weights: readonly (readonly [OperationKind, number])[]): (() => Operation) => {
  const cycle = weights
    .flatMap(([kind, weight]) => Array.from({ length: weight }, (_, index) => ({ kind, weight, index })))
    .toSorted((one, other) => (one.index + 0.5) / one.weight - (other.index + 0.5) / other.weight);
  let turn = 0;
  return () => {
    const { kind, weight, index } = cycle[turn % cycle.length]!;
    return kind(Math.floor(turn++ / cycle.length) * weight + index);
  };
};
