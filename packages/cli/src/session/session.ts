import type { Failure, Json, Member, UseCases } from '@portico/core';
import { useCasesToken } from '@portico/core/inversify';
import { err, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { print, type View } from '../output/print.ts';
import type { Call } from '../program/call.ts';
import { compose } from '../serve/compose.ts';
import { accessOf } from './credentials.ts';
import { unlessAborted } from './interrupt.ts';
import { cliErrorOf } from '../output/failure-message.ts';
import { usageError, type CliError, fail } from '../output/cli-error.ts';

/** The use cases of the member half, composed as the server composes them. */
export const memberUseCases = ({ loaded: { settings } }: Call): Result<UseCases, CliError> =>
  settings.identity && settings.downstreams
    ? ok(compose(settings).get(useCasesToken))
    : err(
        usageError(
          'There is no member portal in the settings.',
          'Set identity and downstreams: in a file (--config, PORTICO_CONFIG) or by variables. "portico config schema" describes them.',
        ),
      );

export interface Session {
  readonly use: UseCases;
  readonly member: Member;
}

/** The member whose token or credentials the call came with. */
export const signIn = async (call: Call): Promise<Result<Session, CliError>> => {
  const composed = memberUseCases(call);
  if (composed.isErr()) return err(composed.error);
  const use = composed.value;
  const access = await accessOf(call);
  if (access.isErr()) return err(access.error);
  const token: ResultAsync<string | undefined, Failure> =
    'grant' in access.value ? use.requestToken(access.value).map(({ token }) => token) : okAsync(access.value.token);
  return token
    .andThen(use.authenticate)
    .map((member) => ({ use, member }))
    .mapErr(cliErrorOf);
};

/** Asks one question as the member, and shows the answer. */
export const asMember = async (
  call: Call,
  ask: (session: Session) => ResultAsync<Json, Failure | CliError>,
  view: View,
): Promise<number> => {
  const answered = async (): Promise<Result<Json, CliError>> => {
    const session = await signIn(call);
    if (session.isErr()) return err(session.error);
    return ask(session.value).mapErr((failure) => ('kind' in failure ? cliErrorOf(failure) : failure));
  };
  const answer = await unlessAborted(call.signal, answered());
  if (answer === 'aborted') return 1;
  return answer.match(
    (json) => {
      print(json, view, call);
      return 0;
    },
    (refusal) => fail(refusal, call),
  );
};
