import { type ClientFailure, porticoClient } from '@portico/client';
import { type Failure, type LegEvent, upstream } from '@portico/core';
import { err, type Result } from 'neverthrow';
import { type Call, stringOption } from '../program/call.ts';
import { cliErrorOf } from '../output/failure-message.ts';
import { usageError, type CliError } from '../output/cli-error.ts';

/** How long the server may be silent beyond the time that a search takes by our own settings. */
const patienceMs = 15_000;

/** Asks a running server, and hears its legs settle (`POST /api/search` as a stream; contract, section 5). */
export const searchOnServer = async (
  call: Call,
  request: object,
  settled: (event: LegEvent) => void,
): Promise<Result<string, CliError>> => {
  const client = clientFor(call);
  if (!client)
    return err(usageError('--server is the http or https address of a portico, without user, query and fragment.'));
  const started = await client.search(request, call.signal);
  if (started.isErr()) return err(refused(started.error));
  const { legs, answer } = started.value;
  for await (const event of legs) settled(event);
  return answer.map(({ text }) => text).mapErr(refused);
};

const clientFor = (call: Call) => {
  const searchTimeoutMs = call.loaded.settings.search.timeoutMs + patienceMs;
  try {
    return porticoClient({ url: stringOption(call, 'server') ?? '', searchTimeoutMs });
  } catch {
    return undefined;
  }
};

const refused = (failure: ClientFailure): CliError => {
  const isSilent = failure.kind === 'unreachable' || failure.kind === 'timed-out';
  const hint = 'Is a portico running at the address given with --server?';
  return { ...cliErrorOf(failureOf(failure)), ...(isSilent && { hint }) };
};

/** What the server says of the request, or that it has no room; else it is the server that failed. */
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
    case 'interrupted':
      return upstream('search', 'malformed');
    case 'unexpected-response':
      return notPortico(failure.status);
    default:
      return upstream('search', 'status');
  }
};

const notPortico = (status: number): Failure => {
  if (status === 503 || status === 429) return { kind: 'overloaded', retryAfterSeconds: 1 };
  return upstream('search', status === 200 ? 'malformed' : 'status');
};
