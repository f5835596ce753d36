import type { ClientFailure } from '@portico/client';
import { type Failure, overloaded, upstream } from '@portico/core';
import type { CliError } from './cli-error.ts';
import { cliErrorOf } from './failure-message.ts';

/** Converts a failure of a call to a running Portico (`--server`) to a CLI error. `service` is the name in its message. */
export const serverErrorOf = (failure: ClientFailure, service: string): CliError => {
  const isUnreachable = failure.kind === 'unreachable' || failure.kind === 'timed-out';
  const hint = 'Check that a portico is running at the URL given with --server.';
  const error = { ...cliErrorOf(failureOf(failure, service)), ...(isUnreachable && { hint }) };
  return failure.kind === 'response-too-large'
    ? { ...error, hint: `The limit is ${failure.limitBytes} bytes.` }
    : error;
};

/** Maps a failure of the client: an invalid request and an overloaded server are kept, all others are upstream failures. */
const failureOf = (failure: ClientFailure, service: string): Failure => {
  switch (failure.kind) {
    case 'invalid':
    case 'overloaded':
      return failure;
    case 'rate-limited':
      return overloaded(failure.retryAfterSeconds);
    case 'unreachable':
      return upstream(service, 'unreachable');
    case 'timed-out':
      return upstream(service, 'timeout');
    case 'response-too-large':
      return upstream(service, 'too-large');
    case 'interrupted':
      return upstream(service, 'malformed');
    case 'unexpected-response':
      return failureOfStatus(failure.status, service);
    default:
      return upstream(service, 'status');
  }
};

const failureOfStatus = (status: number, service: string): Failure => {
  if (status === 503 || status === 429) return overloaded();
  return upstream(service, status === 200 ? 'malformed' : 'status');
};
