import type { Failure } from '@portico/core';

/** Exit codes (contract, section 7): 2 usage or settings, 3 not found, 4 a downstream or leg failed, 5 unauthenticated. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5;

export const exitCodeOf = {
  invalid: 2,
  unauthenticated: 5,
  'not-found': 3,
  'precondition-failed': 4,
  upstream: 4,
  overloaded: 4,
  unexpected: 1,
} as const satisfies Record<Failure['kind'], ExitCode>;
