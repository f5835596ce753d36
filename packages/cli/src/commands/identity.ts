import { toJson } from '@portico/core';
import type { Perform } from '../call.ts';
import { print } from '../answer.ts';
import { composeIdentity } from '../compose.ts';
import { credentialsOf } from '../credentials.ts';
import { refusalOf } from '../exit-code.ts';
import { unlessAborted } from '../interrupt.ts';
import { misuse, refuse } from '../refusal.ts';

/** An access token, to stdout. With `--json`, as RFC 6749, section 5.1 writes it. */
export const token: Perform = async (call) => {
  const { identity } = call.loaded.settings;
  if (!identity)
    return refuse(
      misuse('There is no identity provider in the settings.', 'Set identity.issuer (IDENTITY_ISSUER).'),
      call,
    );
  const credentials = await unlessAborted(call.signal, credentialsOf(call));
  if (credentials === 'aborted') return 1;
  if (credentials.isErr())
    return refuse(
      { ...credentials.error, hint: 'Set PORTICO_USERNAME and PORTICO_PASSWORD, or run it on a terminal to be asked.' },
      call,
    );
  const issued = await unlessAborted(call.signal, composeIdentity(identity).requestToken(credentials.value));
  if (issued === 'aborted') return 1;
  return issued.match(
    ({ token, expiresInSeconds }) => {
      const body = toJson({ access_token: token, token_type: 'Bearer', expires_in: expiresInSeconds });
      print(body, () => `${token}\n`, call);
      return 0;
    },
    (failure) => refuse(refusalOf(failure), call),
  );
};
