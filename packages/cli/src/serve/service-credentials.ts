import { readFileSync } from 'node:fs';
import {
  clientCredentials,
  type ClientSettings,
  memberToken,
  noCredentials,
  type ServiceObserver,
  type TokenClient,
  tokenClient,
  tokenExchange,
} from '@portico/adapters-http';
import type { Credentials } from '@portico/core';
import type { CredentialsSetting } from '../settings/credentials-schema.ts';
import type { Settings } from '../settings/schema.ts';
import { withoutNulls } from '../settings/without-nulls.ts';

type IdentitySettings = NonNullable<Settings['identity']>;

/**
 * Creates the credentials of services from their settings. All that request tokens share one client of the token
 * endpoint, which is created only if a service needs it.
 */
export const serviceCredentials = (
  identity: IdentitySettings,
  observer: ServiceObserver,
): ((setting: CredentialsSetting) => Credentials) => {
  let shared: TokenClient | undefined;
  const tokens = () => (shared ??= tokensOf(identity, observer));
  return (setting) => {
    if (setting === 'member-token') return memberToken;
    if (setting === 'none') return noCredentials;
    const { kind, ...request } = setting;
    return kind === 'token-exchange' ? tokenExchange(tokens(), request) : clientCredentials(tokens(), request);
  };
};

/** Creates the client of the token endpoint. Throws a TypeError without `identity.client`, or for a bad private key. */
export const tokensOf = (identity: IdentitySettings, observer: ServiceObserver = {}): TokenClient => {
  const { issuer, tokenUrl, client } = withoutNulls(identity);
  if (client === undefined) throw new TypeError('The credentials of a service require identity.client.');
  return tokenClient({ issuer, ...(tokenUrl !== undefined && { tokenUrl }), client: clientOf(client), observer });
};

const clientOf = ({ id, secret, privateKeyFile, method }: NonNullable<IdentitySettings['client']>): ClientSettings =>
  privateKeyFile === undefined
    ? { id, secret: secret ?? '', ...(method === 'client_secret_post' && { method }) }
    : { id, privateKey: readFileSync(privateKeyFile, 'utf8') };
