import { readFileSync } from 'node:fs';
import {
  clientCredentials,
  credentialsByIssuer,
  type ConnectionSettings,
  memberToken,
  noCredentials,
  type ServiceObserver,
  type TokenClient,
  tokenClient,
  tokenExchange,
  type TokenExchangeSettings,
} from '@portico/adapters-http';
import type { ClientSettings, Credentials } from '@portico/core';
import type { CredentialsSetting } from '../settings/sections/credentials-schema.ts';
import { clientProvider, type IdentityProvider } from '../settings/sections/identity-schema.ts';

/**
 * Creates the credentials of services from their settings. All that request tokens share one client of each token
 * endpoint, which is created only if a service needs it. Portico's own tokens come from the first provider with a client.
 */
export const serviceCredentials = (
  providers: readonly IdentityProvider[],
  connection: ConnectionSettings,
  observer: ServiceObserver,
): ((setting: CredentialsSetting) => Credentials) => {
  const clients = new Map<string, TokenClient>();
  const tokensAt = (provider: IdentityProvider): TokenClient => {
    const tokens = clients.get(provider.issuer) ?? tokensOf(provider, connection, observer);
    clients.set(provider.issuer, tokens);
    return tokens;
  };
  const exchange = (request: TokenExchangeSettings): Credentials => {
    const exchanges = providers.map(
      (provider) => [provider.issuer, tokenExchange(tokensAt(provider), request)] as const,
    );
    const [[, only] = []] = exchanges;
    return only && exchanges.length === 1 ? only : credentialsByIssuer(Object.fromEntries(exchanges));
  };
  return (setting) => {
    if (setting === 'member-token') return memberToken;
    if (setting === 'none') return noCredentials;
    const { kind, ...request } = setting;
    if (kind === 'token-exchange') return exchange(request);
    const provider = clientProvider(providers);
    if (!provider) throw new TypeError('Client credentials require identity.client.');
    return clientCredentials(tokensAt(provider), request);
  };
};

/** Creates the client of the token endpoint. Throws a TypeError without `identity.client`, or for a bad private key. */
export const tokensOf = (
  identity: IdentityProvider,
  connection: ConnectionSettings,
  observer: ServiceObserver = {},
): TokenClient => {
  const { issuer, tokenUrl, timeoutMs, client } = identity;
  if (client === undefined) throw new TypeError('The credentials of a service require identity.client.');
  return tokenClient({
    ...connection,
    issuer,
    ...(tokenUrl !== undefined && { tokenUrl }),
    timeoutMs,
    client: clientOf(client),
    observer,
  });
};

/** Portico as a client of the provider, with its key read from the file. */
export const clientOf = ({
  id,
  secret,
  privateKeyFile,
  method,
}: NonNullable<IdentityProvider['client']>): ClientSettings =>
  privateKeyFile === undefined
    ? { id, secret: secret ?? '', ...(method === 'client_secret_post' && { method }) }
    : { id, privateKey: readFileSync(privateKeyFile, 'utf8') };
