import type { Failure } from '@portico/core';

/** Every exit code and its meaning (contract, section 7). A signal ends with 128 and its number. */
export const exitCodes = {
  0: 'success',
  1: 'internal error, or an error of this machine, such as a full disk',
  2: 'wrong usage, input or settings',
  3: 'not found',
  4: 'a downstream service or every leg failed',
  5: 'unauthenticated',
} as const;

export type ExitCode = keyof typeof exitCodes;

export const exitCodeOf = {
  invalid: 2,
  unauthenticated: 5,
  'not-found': 3,
  'precondition-failed': 4,
  upstream: 4,
  overloaded: 4,
  unexpected: 1,
} as const satisfies Record<Failure['kind'], ExitCode>;
