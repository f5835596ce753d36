import type { Failure, Json, Member, UseCases } from '@portico/core';
import { useCasesToken } from '@portico/core/inversify';
import { err, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { print, type View } from '../output/print.ts';
import type { CommandContext } from '../program/command.ts';
import { compose } from '../serve/compose.ts';
import { accessOf } from './credentials.ts';
import { unlessAborted } from './interrupt.ts';
import { cliErrorOf } from '../output/failure-message.ts';
import { usageError, type CliError, fail } from '../output/cli-error.ts';

/** Composes the use cases of the member API, as the server does. */
export const memberUseCases = ({ loaded: { settings } }: CommandContext): Result<UseCases, CliError> =>
  settings.identity && settings.downstreams
    ? ok(compose(settings).get(useCasesToken))
    : err(
        usageError(
          'The member API is not configured.',
          'Set identity and downstreams in the settings file (--config, PORTICO_CONFIG) or with environment variables. Run "portico config schema" for a description.',
        ),
      );

export interface Session {
  readonly use: UseCases;
  readonly member: Member;
}

/** Authenticates the member by the access token or credentials of the command. */
export const signIn = async (context: CommandContext): Promise<Result<Session, CliError>> => {
  const composed = memberUseCases(context);
  if (composed.isErr()) return err(composed.error);
  const use = composed.value;
  const access = await accessOf(context);
  if (access.isErr()) return err(access.error);
  const token: ResultAsync<string | undefined, Failure> =
    'grant' in access.value ? use.requestToken(access.value).map(({ token }) => token) : okAsync(access.value.token);
  return token
    .andThen(use.authenticate)
    .map((member) => ({ use, member }))
    .mapErr(cliErrorOf);
};

/** Signs in, runs one operation as the member, and prints its result. */
export const asMember = async (
  context: CommandContext,
  operation: (session: Session) => ResultAsync<Json, Failure | CliError>,
  view: View,
): Promise<number> => {
  const run = async (): Promise<Result<Json, CliError>> => {
    const session = await signIn(context);
    if (session.isErr()) return err(session.error);
    return operation(session.value).mapErr((failure) => ('kind' in failure ? cliErrorOf(failure) : failure));
  };
  const result = await unlessAborted(context.signal, run());
  if (result === 'aborted') return 1;
  return result.match(
    (json) => {
      print(json, view, context);
      return 0;
    },
    (error) => fail(error, context),
  );
};
