import { toJson } from '@portico/core';
import { environmentError, fail, usageError } from '../output/cli-error.ts';
import { codeOf } from '../settings/file-problems.ts';
import { print } from '../output/print.ts';
import { stripControlCharacters } from '../output/screen.ts';
import type { CommandHandler } from '../session/command.ts';
import { loginClientOf, providerOf } from '../session/credentials.ts';
import { unlessInterrupted } from '../session/interrupt.ts';
import { type DeviceCode, loginByDevice } from '../session/login/device-login.ts';
import { removeSavedToken, savedTokenPath, writeSavedToken } from '../session/login/saved-token.ts';

const noHome = usageError('There is no directory in which to save the sign-in.', 'Set XDG_STATE_HOME or HOME.');

/** Signs in by device code (RFC 8628) and saves the token for the commands that follow. */
export const login: CommandHandler = async (context) => {
  const provider = providerOf(context);
  if (provider.isErr()) return fail(provider.error, context);
  const path = savedTokenPath(context.env);
  if (path === undefined) return fail(noHome, context);
  const client = loginClientOf(context, provider.value.issuer);
  const token = await unlessInterrupted(context.signal, loginByDevice(client, showCode, context.signal));
  if (token === 'aborted') return 1;
  if (token.isErr()) return fail(token.error, context);
  try {
    await writeSavedToken(path, token.value);
  } catch (error) {
    return fail(environmentError(`Cannot write ${path} (${codeOf(error)}).`, 'Set XDG_STATE_HOME.', error), context);
  }
  return print(toJson({ file: path }), () => `Signed in. The token is saved in ${path}\n`, context);
};

const showCode = ({ url, userCode }: DeviceCode): void => {
  process.stderr.write(
    `Open ${stripControlCharacters(url)}\nand confirm the code ${stripControlCharacters(userCode)}\n`,
  );
};

/** Removes the saved token. */
export const logout: CommandHandler = async (context) => {
  const path = savedTokenPath(context.env);
  if (path === undefined) return fail(noHome, context);
  try {
    await removeSavedToken(path);
  } catch (error) {
    return fail(
      environmentError(`Cannot remove ${path} (${codeOf(error)}).`, 'Remove the file yourself.', error),
      context,
    );
  }
  return print(toJson({ file: path }), () => 'Signed out. The saved token was removed.\n', context);
};
