import {
  type Failure,
  preferenceNames,
  problemOf,
  type UnauthenticatedReason,
  type UpstreamReason,
} from '@portico/core';
import { exitCodeOf } from './exit-code.ts';
import { internalError, type CliError } from './cli-error.ts';

/** A failure as the command line reports it, with what to do about it. Apart from the rest, because it loads the core. */
export const cliErrorOf = (failure: Failure): CliError => {
  if (failure.kind === 'unexpected') return internalError(failure.cause);
  const hint = hintOf(failure);
  return {
    exitCode: exitCodeOf[failure.kind],
    document: problemOf(failure),
    ...(hint !== undefined && { hint }),
  };
};

const hintOf = (failure: Failure): string | undefined => {
  switch (failure.kind) {
    case 'unauthenticated':
      return tokenHints[failure.reason];
    case 'upstream':
      return serviceHints[failure.reason];
    case 'precondition-failed':
      return 'It keeps being changed elsewhere at the same time. Run the command again.';
    case 'not-found':
      return failure.code === 'preferences-not-set'
        ? `To set them for the first time, name all six, each on or off: portico me preferences set ${preferenceNames.map((name) => `${name}=…`).join(' ')}`
        : undefined;
    default:
      return undefined;
  }
};

const tokenHints = {
  missing:
    'Set PORTICO_TOKEN, or give --token-file or --token-stdin; or set PORTICO_USERNAME and PORTICO_PASSWORD to have one asked for.',
  invalid: 'It may have expired, or be meant for another issuer or audience. "portico token" gets a new one.',
  'invalid-grant': 'Check PORTICO_USERNAME and PORTICO_PASSWORD.',
  'invalid-client': 'Check --client-id (PORTICO_CLIENT_ID), PORTICO_CLIENT_SECRET and --grant.',
} as const satisfies Record<UnauthenticatedReason, string>;

const whereItIs = 'Is it running, and is its address right? "portico config print" shows the addresses in force.';

const serviceHints = {
  status: undefined,
  unreachable: whereItIs,
  timeout: 'Its deadline is a setting; "portico config print" shows those in force.',
  malformed: undefined,
  'too-large': 'limits.maxResponseBytes says how much is taken.',
  'circuit-open': undefined,
} as const satisfies Record<UpstreamReason, string | undefined>;
