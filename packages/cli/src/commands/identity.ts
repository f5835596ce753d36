import { toJson } from '@portico/core';
import type { CommandHandler } from '../session/command.ts';
import { print } from '../output/print.ts';
import { composeIdentity } from '../serve/compose.ts';
import { credentialsOf, providerOf } from '../session/credentials.ts';
import { unlessInterrupted } from '../session/interrupt.ts';
import { cliErrorOf } from '../output/failure-message.ts';
import { fail } from '../output/cli-error.ts';

/** Prints an access token. With `--json`, prints a token response (RFC 6749, section 5.1). */
export const token: CommandHandler = async (context) => {
  const provider = providerOf(context);
  if (provider.isErr()) return fail(provider.error, context);
  const credentials = await unlessInterrupted(context.signal, credentialsOf(context));
  if (credentials === 'aborted') return 1;
  if (credentials.isErr())
    return fail(
      {
        ...credentials.error,
        hint: 'Set PORTICO_USERNAME and PORTICO_PASSWORD, or run the command on a terminal to be prompted.',
      },
      context,
    );
  const identity = composeIdentity(provider.value, context.loaded.settings.proxy);
  const issued = await unlessInterrupted(context.signal, identity.requestToken(credentials.value));
  if (issued === 'aborted') return 1;
  if (issued.isErr()) return fail(cliErrorOf(issued.error), context);
  const { token, expiresInSeconds } = issued.value;
  const body = toJson({ access_token: token, token_type: 'Bearer', expires_in: expiresInSeconds });
  return print(body, () => `${token}\n`, context);
};
