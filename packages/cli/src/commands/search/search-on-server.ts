import { type ClientFailure, porticoClient } from '@portico/client';
import { type Failure, type LegEvent, upstream } from '@portico/core';
import { err, type Result } from 'neverthrow';
import { type CommandContext, stringOption } from '../../program/command.ts';
import { cliErrorOf } from '../../output/failure-message.ts';
import { usageError, type CliError } from '../../output/cli-error.ts';

/** Added to the search timeout of our own settings, because the server may have a longer one. */
const extraTimeoutMs = 15_000;

/** Runs a search on a running server and reports each leg as it settles (`POST /api/search` as a stream; contract, section 5). */
export const searchOnServer = async (
  context: CommandContext,
  request: object,
  onLeg: (event: LegEvent) => void,
): Promise<Result<string, CliError>> => {
  const client = clientFor(context);
  if (!client)
    return err(usageError('--server must be the http or https URL of a portico, without user, query and fragment.'));
  const started = await client.search(request, context.signal);
  if (started.isErr()) return err(toCliError(started.error));
  const { legs, response } = started.value;
  for await (const event of legs) onLeg(event);
  return response.map(({ text }) => text).mapErr(toCliError);
};

/** Returns the ids of the legs of a running server; none when it does not list them. */
export const legsOnServer = async (context: CommandContext): Promise<readonly string[]> => {
  const listed = await clientFor(context)?.listLegs(context.signal);
  return listed?.isOk() ? listed.value.map(({ id }) => id) : [];
};

const clientFor = (context: CommandContext) => {
  const searchTimeoutMs = context.loaded.settings.search.timeoutMs + extraTimeoutMs;
  try {
    return porticoClient({ url: stringOption(context, 'server') ?? '', searchTimeoutMs });
  } catch {
    return undefined;
  }
};

const toCliError = (failure: ClientFailure): CliError => {
  const isUnreachable = failure.kind === 'unreachable' || failure.kind === 'timed-out';
  const hint = 'Check that a portico is running at the URL given with --server.';
  const error = { ...cliErrorOf(failureOf(failure)), ...(isUnreachable && { hint }) };
  return failure.kind === 'response-too-large'
    ? { ...error, hint: `The limit is ${failure.limitBytes} bytes.` }
    : error;
};

/** Maps a failure of the client: an invalid request and an overloaded server are kept, all others are upstream failures. */
const failureOf = (failure: ClientFailure): Failure => {
  switch (failure.kind) {
    case 'invalid':
    case 'overloaded':
      return failure;
    case 'rate-limited':
      return { ...failure, kind: 'overloaded' };
    case 'unreachable':
      return upstream('search', 'unreachable');
    case 'timed-out':
      return upstream('search', 'timeout');
    case 'response-too-large':
      return upstream('search', 'too-large');
    case 'interrupted':
      return upstream('search', 'malformed');
    case 'unexpected-response':
      return failureOfStatus(failure.status);
    default:
      return upstream('search', 'status');
  }
};

const failureOfStatus = (status: number): Failure => {
  if (status === 503 || status === 429) return { kind: 'overloaded', retryAfterSeconds: 1 };
  return upstream('search', status === 200 ? 'malformed' : 'status');
};
