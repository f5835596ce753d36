import {
  type Failure,
  preferenceNames,
  problemOf,
  type UnauthenticatedReason,
  type UpstreamReason,
} from '@portico/core';
import { type ExitCode, exitCodeOf } from './exit-code.ts';
import { type CliError, fail, internalError, type OutputMode } from './cli-error.ts';

/** Converts a failure to a CLI error with a hint. In a file of its own because it loads the core. */
export const cliErrorOf = (failure: Failure): CliError =>
  failure.kind === 'unexpected'
    ? internalError(failure.cause)
    : { exitCode: exitCodeOf[failure.kind], document: problemOf(failure), hint: hintOf(failure) };

/** Why a command cannot act as a member. Default hint: how to give a token. */
export const signInError = (detail: string, hint: string = tokenHints.missing): CliError => ({
  exitCode: exitCodeOf.unauthenticated,
  document: { code: 'unauthenticated', detail },
  hint,
});

/** Prints why a command failed, as `fail` does, and returns the exit code. */
export const failWith = (error: Failure | CliError, mode: OutputMode): ExitCode =>
  fail('kind' in error ? cliErrorOf(error) : error, mode);

/** Names the resource that a service did not find. Other failures are unchanged. */
export const namingMissing =
  (noun: 'claim' | 'document', locator: string) =>
  (failure: Failure): Failure | CliError =>
    failure.kind === 'not-found'
      ? {
          exitCode: exitCodeOf['not-found'],
          document: { ...problemOf(failure), detail: `There is no ${noun} ${locator}.` },
          hint: `To list the ${noun}s: portico me ${noun}s`,
        }
      : failure;

const hintOf = (failure: Failure): string | undefined => {
  switch (failure.kind) {
    case 'unauthenticated':
      return tokenHints[failure.reason];
    case 'insufficient-scope':
      return 'Get a token with this scope: give --scope to portico login or portico token, or to this command if it signs in itself.';
    case 'upstream':
      return serviceHints[failure.reason];
    case 'precondition-failed':
      return 'Other clients are changing it at the same time. Run the command again.';
    case 'not-found':
      return failure.code === 'preferences-not-set'
        ? `To set them for the first time, set all six to on or off: portico me preferences set ${preferenceNames.map((name) => `${name}=…`).join(' ')}`
        : undefined;
    default:
      return undefined;
  }
};

const tokenHints = {
  missing:
    'Sign in with "portico login", or set PORTICO_TOKEN, or use --token-file or --token-stdin. To sign in with a password, set PORTICO_USERNAME and PORTICO_PASSWORD.',
  invalid: 'It may be expired, or issued for another issuer or audience. Run "portico token" for a new one.',
  'invalid-proof': 'The commands do not support DPoP-bound tokens. Use a plain bearer token.',
  'invalid-grant': 'Check PORTICO_USERNAME and PORTICO_PASSWORD.',
  'invalid-client': 'Check --client-id (PORTICO_CLIENT_ID), PORTICO_CLIENT_SECRET and --grant.',
} as const satisfies Record<UnauthenticatedReason, string>;

const checkUrl =
  'Check that it is running and that its URL is correct. Run "portico config print" to see the URLs in use.';

const serviceHints = {
  status: undefined,
  unreachable: checkUrl,
  timeout: 'The timeout is a setting. Run "portico config print" to see the value in use.',
  malformed: undefined,
  'too-large': 'The limit is limits.maxResponseBytes.',
  'circuit-open': undefined,
} as const satisfies Record<UpstreamReason, string | undefined>;
