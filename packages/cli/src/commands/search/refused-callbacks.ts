import type { Failure, ReceiveCallback } from '@portico/core';

/** Collects why callbacks were refused, so that the user learns more than that none arrived. */
export const refusedCallbacks = () => {
  const reasons = new Set<string>();
  let count = 0;
  return {
    watch:
      (receive: ReceiveCallback): ReceiveCallback =>
      (callback) =>
        receive(callback).orTee((failure) => {
          count++;
          reasons.add(reasonFor(failure));
        }),
    /** One line; undefined when no callback was refused. */
    get hint(): string | undefined {
      return count === 0 ? undefined : `Refused callbacks: ${count}. ${[...reasons].join(' ')}`;
    },
  };
};

const reasonFor = (failure: Failure): string => {
  switch (failure.kind) {
    case 'unauthenticated':
      return "The signature is missing, expired or not the seller's. Compare the seller's key in the registry of the leg.";
    case 'upstream':
      return 'The registry did not return the key of the seller. Run "portico doctor".';
    default:
      return 'The body is not an on_search callback of this search.';
  }
};
