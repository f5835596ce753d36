import {
  type Access,
  type Failure,
  hasService,
  type Json,
  type Member,
  type ServiceName,
  type ServiceUseCases,
  type SomeUseCases,
  type UseCases,
} from '@portico/core';
import { useCasesToken } from '@portico/core/inversify';
import { err, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { print, type View } from '../output/print.ts';
import type { CommandContext } from './command.ts';
import { compose, composeIdentity } from '../serve/compose.ts';
import { accessOf, providerOf } from './credentials.ts';
import { unlessInterrupted } from './interrupt.ts';
import { clearScreen, isWatched, repeat, watchedMode } from './watch.ts';
import { cliErrorOf, failWith } from '../output/failure-message.ts';
import { usageError, type CliError, fail } from '../output/cli-error.ts';

type UseCasesWith<Name extends ServiceName> = Pick<UseCases, 'authenticate' | 'requestToken'> & ServiceUseCases[Name];

/** Composes the use cases of the configured services, as the server does. */
export const configuredUseCases = ({ loaded: { settings } }: CommandContext): Result<SomeUseCases, CliError> =>
  settings.identity && settings.downstreams
    ? ok(compose(settings).get(useCasesToken))
    : err(
        usageError(
          'The member API is not configured.',
          'Set identity and downstreams in the settings file (--config, PORTICO_CONFIG) or with environment variables. Run "portico config schema" for a description.',
        ),
      );

/** Composes the use cases of one service. */
export const memberUseCases = <Name extends ServiceName>(
  context: CommandContext,
  service: Name,
): Result<UseCasesWith<Name>, CliError> =>
  configuredUseCases(context).andThen((use) =>
    hasService(use, service) ? ok(use as UseCasesWith<Name>) : err(notConfigured(service)),
  );

export const notConfigured = (service: string): CliError =>
  usageError(
    `The ${service} service is not configured.`,
    `Set downstreams.${service}.url in the settings file, or ${service.toUpperCase()}_URL.`,
  );

export interface Session<Name extends ServiceName> {
  readonly use: UseCasesWith<Name>;
  readonly member: Member;
  readonly token: string | undefined;
  readonly access: Access;
}

/**
 * Composes the use cases of one service and authenticates the member by the access token or credentials of the command, with
 * the scope that the settings require for this access.
 */
export const signIn = async <Name extends ServiceName>(
  context: CommandContext,
  service: Name,
  requested: Access = 'read',
): Promise<Result<Session<Name>, CliError>> => {
  const composed = memberUseCases(context, service);
  if (composed.isErr()) return err(composed.error);
  const use = composed.value;
  return (await memberOf(context, use, requested)).map((signedIn) => ({ use, ...signedIn }));
};

/** Authenticates the member by the access token or credentials of the command. */
export const memberOf = async (
  context: CommandContext,
  use: Pick<UseCases, 'authenticate' | 'requestToken'>,
  requested: Access,
): Promise<Result<Omit<Session<ServiceName>, 'use'>, CliError>> => {
  const access = await accessOf(context);
  if (access.isErr()) return err(access.error);
  const token: ResultAsync<string | undefined, Failure> =
    'grant' in access.value ? use.requestToken(access.value).map(({ token }) => token) : okAsync(access.value.token);
  return token
    .andThen((token) => use.authenticate(token, requested).map((member) => ({ member, token, access: requested })))
    .mapErr(cliErrorOf);
};

/** Returns the access token of the command for a running Portico, which verifies it. */
export const tokenFor = async (context: CommandContext): Promise<Result<string | undefined, CliError>> => {
  const access = await accessOf(context);
  if (access.isErr()) return err(access.error);
  if (!('grant' in access.value)) return ok(access.value.token);
  const provider = providerOf(context);
  if (provider.isErr())
    return err({ ...provider.error, hint: 'Set identity.issuer (IDENTITY_ISSUER), or PORTICO_TOKEN.' });
  return composeIdentity(provider.value, context.loaded.settings.proxy)
    .requestToken(access.value)
    .map(({ token }) => token)
    .mapErr(cliErrorOf);
};

/** Verifies the token again, and signs in again when it has expired: a saved sign-in gets a new token. */
const renewed = async <Name extends ServiceName>(
  context: CommandContext,
  service: Name,
  { use, token, access }: Session<Name>,
): Promise<Result<Session<Name>, CliError>> => {
  const verified = await use.authenticate(token, access);
  if (verified.isOk()) return ok({ use, token, access, member: verified.value });
  const { error } = verified;
  // Stdin has no second token.
  if (error.kind !== 'unauthenticated' || context.options['tokenStdin'] === true) return err(cliErrorOf(error));
  return signIn(context, service, access);
};

/** Signs in, runs one operation as the member, and prints its result. An operation that changes data needs `write`. */
export const asMember = async <Name extends ServiceName>(
  context: CommandContext,
  service: Name,
  operation: (session: Session<Name>) => ResultAsync<Json, Failure | CliError>,
  view: View,
  requested: Access = 'read',
): Promise<number> => {
  const mode = watchedMode(context);
  const signedIn = await unlessInterrupted(context.signal, signIn(context, service, requested));
  if (signedIn === 'aborted') return 1;
  if (signedIn.isErr()) return fail(signedIn.error, mode);
  let session = signedIn;
  const runOnce = async (): Promise<number> => {
    if (isWatched(context)) {
      const current = await unlessInterrupted(context.signal, renewed(context, service, session.value));
      if (current === 'aborted') return 1;
      if (current.isErr()) return fail(current.error, mode);
      session = current;
    }
    const result = await unlessInterrupted(context.signal, operation(session.value));
    if (result === 'aborted') return 1;
    clearScreen(context);
    if (result.isOk()) return print(isWatched(context) ? onOneLine(result.value) : result.value, view, mode);
    return failWith(result.error, mode);
  };
  return isWatched(context) ? repeat(context, runOnce) : runOnce();
};

/** A string in JSON never contains a line break, so those are between the values. */
const onOneLine = ({ text, value }: Json): Json => ({ text: text.replaceAll(/[\r\n]\s*/g, ' ').trim(), value });
