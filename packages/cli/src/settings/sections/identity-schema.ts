import { httpDefaults, identityDefaults } from '@portico/adapters-http';
import { accessDefaults, signatureAlgorithms } from '@portico/core';
import { z } from 'zod';
import { client } from './credentials-schema.ts';
import {
  aString,
  integer,
  milliseconds,
  nonEmptyArray,
  nonEmptyString,
  oneOf,
  scope,
  section,
  url,
} from '../setting-types.ts';
import type { WithoutNulls } from '../without-nulls.ts';

const neededScope = scope.nullable().default(null);

const identityProvider = section({
  issuer: url.describe('Required iss of access tokens; also the start of OpenID Connect discovery'),
  audience: nonEmptyArray(aString, 'must be a non-empty array of strings')
    .default(['portico'])
    .describe('Accepted aud values; a token must contain at least one of them'),
  jwksUrl: url.nullable().default(null).describe('URL of the JSON Web Key Set; null: discovered from the issuer'),
  tokenUrl: url
    .nullable()
    .default(null)
    .describe(
      'URL of the token endpoint; null: the path of the realm if the issuer ends in `/realms/<realm>`, otherwise discovered',
    ),
  algorithms: nonEmptyArray(oneOf(signatureAlgorithms), 'must be a non-empty array of algorithms')
    .default([...identityDefaults.algorithms])
    .describe('Accepted signature algorithms'),
  locatorClaim: nonEmptyString('must be auto or the name of a claim')
    .default(accessDefaults.locatorClaim)
    .describe('Claim with the member locator; auto: partyLocator if present, otherwise sub'),
  clockToleranceSeconds: integer(0, 300)
    .default(identityDefaults.clockToleranceSeconds)
    .describe('Tolerated difference between the clocks of Portico and the identity provider'),
  maxLifetimeSeconds: integer(1, 31_536_000)
    .default(identityDefaults.maxLifetimeSeconds)
    .describe('Maximum lifetime of an access token'),
  keyCacheSeconds: integer(1, 86_400)
    .default(identityDefaults.keyCacheSeconds)
    .describe('How long keys, and tokens verified with them, are cached'),
  timeoutMs: milliseconds
    .default(httpDefaults.timeoutMs)
    .describe('Time limit of a request for keys or a token to the identity provider, in milliseconds'),
  memberTokensOnly: z
    .boolean('must be true or false')
    .default(accessDefaults.memberTokensOnly)
    .describe('Refuse tokens of programs: without partyLocator, and with a sub that equals client_id or azp'),
  clients: nonEmptyArray(aString, 'must be a non-empty array of client ids, or null')
    .nullable()
    .default(null)
    .describe('Clients, by client_id and azp, whose tokens are accepted; null: any'),
  scopes: section({
    read: neededScope.describe('Scopes that a token needs for GET and HEAD, separated by spaces; null: none'),
    write: neededScope.describe('Scopes that a token needs for the other methods, separated by spaces; null: none'),
  }).prefault({}),
  dpop: oneOf(['off', 'accept', 'require'])
    .default(accessDefaults.dpop)
    .describe(
      'DPoP-bound tokens (RFC 9449). off: refused; accept: beside bearer tokens; require: no others. Needs listen.publicUrl',
    ),
  client,
});

/** The settings of one identity provider. */
export type IdentityProvider = WithoutNulls<z.infer<typeof identityProvider>>;

/** One identity provider, or several (contract, section 10). */
export const identity = z.union([
  identityProvider,
  nonEmptyArray(identityProvider, 'must be an object, or a non-empty array of objects'),
]);

export interface WithProviders {
  readonly identity?: IdentityProvider | readonly IdentityProvider[] | undefined;
}

/** The identity providers, in the order of the settings. */
export const identityProviders = ({ identity }: WithProviders): readonly IdentityProvider[] =>
  identity === undefined ? [] : [identity].flat();

/** The provider that members sign in with, on the pages and on the command line: the first one. */
export const signInProvider = (settings: WithProviders): IdentityProvider | undefined => identityProviders(settings)[0];

/** The provider that issues Portico's own tokens: the first one with a client. */
export const clientProvider = (providers: readonly IdentityProvider[]): IdentityProvider | undefined =>
  providers.find(({ client }) => client !== undefined);
