import type { Failure, SearchUseCases } from '@portico/core';

/** The use cases of a search, and why they refused callbacks, so that the user learns more than that none arrived. */
export const refusedCallbacks = (use: SearchUseCases) => {
  const reasons = new Set<string>();
  const observed: SearchUseCases = {
    ...use,
    receiveCallback: (callback) =>
      use.receiveCallback(callback).orTee((failure) => void reasons.add(reasonFor(failure))),
  };
  return {
    use: observed,
    /** One line; undefined when no callback was refused. */
    hint: (): string | undefined => {
      const { rejected } = use.searchStatus().callbacks;
      const [first = otherReason, ...more] = reasons;
      return rejected === 0 ? undefined : `Refused callbacks: ${rejected}. ${[first, ...more].join(' ')}`;
    },
  };
};

/** The server refused them before their content was read, or the leg has as many as it may collect. */
const otherReason = 'They were too large, compressed, or more than the leg may collect.';

const reasonFor = (failure: Failure): string => {
  switch (failure.kind) {
    case 'unauthenticated':
      return "The signature is missing, expired or not the seller's. Compare the seller's key in the registry of the leg.";
    case 'upstream':
      return 'The registry did not return the key of the seller. Run "portico doctor".';
    default:
      return 'The body is not a callback of this search.';
  }
};
