import type { ClientFailure } from '@portico/client';
import type { LegEvent } from '@portico/core';
import { err, type Result } from 'neverthrow';
import { type CommandContext, stringOption } from '../../session/command.ts';
import type { CliError } from '../../output/cli-error.ts';
import { serverClient } from '../../connection/server-client.ts';
import { serverErrorOf } from '../../output/server-failure.ts';

/** Added to the search timeout of our own settings, because the server may have a longer one. */
const extraTimeoutMs = 15_000;

/** Runs a search on a running server and reports each leg as it settles (`POST /api/search` as a stream; contract, section 5). */
export const searchOnServer = async (
  context: CommandContext,
  request: object,
  onLeg: (event: LegEvent) => void,
): Promise<Result<string, CliError>> => {
  const client = clientFor(context);
  if (client.isErr()) return err(client.error);
  const started = await client.value.search(request, context.signal);
  if (started.isErr()) return err(toCliError(started.error));
  const { legs, response } = started.value;
  for await (const event of legs) onLeg(event);
  return response.map(({ text }) => text).mapErr(toCliError);
};

/** Returns the ids of the legs of a running server; none when it does not list them. */
export const legsOnServer = async (context: CommandContext): Promise<readonly string[]> => {
  const listed = await clientFor(context).asyncAndThen((client) => client.listLegs(context.signal));
  return listed.isOk() ? listed.value.map(({ id }) => id) : [];
};

const clientFor = (context: CommandContext) => {
  const searchTimeoutMs = context.loaded.settings.search.timeoutMs + extraTimeoutMs;
  return serverClient(context.loaded.settings, { url: stringOption(context, 'server') ?? '', searchTimeoutMs });
};

const toCliError = (failure: ClientFailure): CliError => serverErrorOf(failure, 'search');
