import type { AccessToken, Failure } from '@portico/core';
import { tokensOf } from '../serve/service-credentials.ts';
import type { CredentialsSetting } from '../settings/sections/credentials-schema.ts';
import { clientProvider, identityProviders } from '../settings/sections/identity-schema.ts';
import { configuredServices } from '../settings/configured-services.ts';
import { type Checks, failed, type Finding, notTested, ok } from './check.ts';

/** The credentials of each service that Portico requests from the identity provider. No request contains a member. */
export const examineTokenRequests: Checks = ({ settings, connections, check }) => {
  const provider = clientProvider(identityProviders(settings));
  if (!provider) return Promise.resolve([]);
  const tokens = tokensOf(provider, connections.common);
  return Promise.all(
    configuredServices(settings)
      .filter(([, { credentials }]) => typeof credentials === 'object')
      .map(([name, { credentials }]) =>
        check(`${name} credentials`, async () => {
          const form = formOf(credentials);
          if (!form) return notTested("the exchange needs a member's token");
          return (await tokens.request(form)).match(issued, refused);
        }),
      ),
  );
};

const formOf = (credentials: CredentialsSetting): Readonly<Record<string, string | undefined>> | undefined => {
  if (typeof credentials === 'string' || credentials.kind !== 'client-credentials') return undefined;
  const { scope, audience } = credentials;
  return { grant_type: 'client_credentials', scope, audience };
};

const issued = ({ expiresInSeconds }: AccessToken): Finding =>
  expiresInSeconds === undefined
    ? failed(
        'the identity provider issues a token without expires_in',
        'Configure a lifetime: such a token is used once, so each request waits for a new one.',
      )
    : ok(`the identity provider issued a token for ${expiresInSeconds} s`);

const refused = (failure: Failure): Finding => {
  if (failure.kind !== 'upstream') return failed('the token request failed', 'Check identity.client.');
  const { reason, status } = failure;
  return status === undefined
    ? failed(`the token request failed: ${reason}`, 'Check identity.tokenUrl, or the provider.')
    : failed(
        `the token endpoint responds with HTTP ${status}`,
        'Check identity.client, scope and audience, and whether the client may use the grant client_credentials.',
      );
};
