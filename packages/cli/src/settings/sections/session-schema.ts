import { isSecureUrl, secureUrlRule, sessionDefaults } from '@portico/adapters-session/defaults';
import { z } from 'zod';
import { secretOf } from '../secrets.ts';
import { integer, nonEmptyArray, oneOf, type Problem, problemIf, section, url } from '../setting-types.ts';
import { authorizeParameters, signInScope } from './authorization-request-schema.ts';
import { type IdentityProvider, identityProviders, type WithProviders } from './identity-schema.ts';
import type { WithoutNulls } from '../without-nulls.ts';

const keyMessage = 'must be 32 random bytes, in base64, base64url or 64 hexadecimal digits';

/** `openssl rand -base64 32` prints such a key. The last of 43 characters has only four bits. */
const key = secretOf(
  z.string().regex(/^(?:[0-9A-Fa-f]{64}|[\w+/-]{42}[AEIMQUYcgkosw048]=?)$/, keyMessage),
  `${keyMessage}, { "env": "NAME" } or { "file": "path" }`,
);

/** Browser sessions (contract, section 11). */
export const session = section({
  keys: nonEmptyArray(key.describe('One key; never printed'), 'must be a non-empty array of keys').describe(
    'Keys that encrypt sessions, each 32 random bytes in base64, base64url or hexadecimal digits. The first one encrypts, all decrypt',
  ),
  store: oneOf(['cookie', 'redis'])
    .default('cookie')
    .describe(
      'Where sessions are stored. cookie: encrypted in the cookie of the browser; redis: in redis.url, which also enables back-channel logout',
    ),
  idleSeconds: integer(60, 31_536_000)
    .default(sessionDefaults.idleSeconds)
    .describe('A session without a request for this long ends, in seconds'),
  absoluteSeconds: integer(60, 31_536_000)
    .default(sessionDefaults.absoluteSeconds)
    .describe('Every session ends this long after its sign-in, in seconds'),
  issuer: url
    .nullable()
    .default(null)
    .describe('Issuer that members sign in with; required when identity is an array; null: the only one'),
  scope: signInScope
    .default(sessionDefaults.scope)
    .describe(
      'Scopes requested at sign-in. Auth0, Microsoft Entra ID and Okta issue refresh tokens only with offline_access; Keycloak does not need it',
    ),
  authorizeParameters: authorizeParameters(
    'must not be set here: the session sends it itself',
    'More query parameters of the authorization request, such as audience',
  ),
  logoutUrl: url
    .refine((value) => isSecure(value), secureUrlRule)
    .nullable()
    .default(null)
    .describe(
      'Where a page goes after the logout, in place of the end_session_endpoint of the provider. Required for Okta and Cognito; null: that endpoint',
    ),
})
  .refine(({ idleSeconds, absoluteSeconds }) => idleSeconds <= absoluteSeconds, {
    message: 'must not be longer than absoluteSeconds',
    path: ['idleSeconds'],
  })
  .optional()
  .describe(
    'Browser sessions: members sign in at /session/login, and a cookie takes the place of the access token. Requires identity.client and listen.publicUrl; without this section there are none',
  );

interface SessionProvider {
  readonly issuer?: string;
  readonly client?: { readonly id?: string } | null | undefined;
  readonly clients?: readonly string[] | null;
  readonly dpop?: string;
}

interface OtherSettings {
  readonly session?: Partial<NonNullable<z.infer<typeof session>>> | null | undefined;
  readonly providers: readonly (SessionProvider | null | undefined)[];
  readonly publicUrl: string | null | undefined;
  readonly redisUrl: string | null | undefined;
  readonly maxHeaderBytes?: number | undefined;
}

/** Session cookies may have 11,700 bytes; the rest is for the other headers of a browser. */
const minHeaderBytes = 16_384;

/** Problems of `session` with other settings, which may be invalid themselves. */
export const sessionProblems = ({
  session,
  providers,
  publicUrl,
  redisUrl,
  maxHeaderBytes,
}: OtherSettings): readonly Problem[] => {
  if (!session) return [];
  return [
    ...providerProblems(session.issuer ?? null, providers),
    ...problemIf(typeof publicUrl !== 'string' || !isSecure(publicUrl), insecureMessage, 'listen', 'publicUrl'),
    ...problemIf(session.store === 'redis' && redisUrl === null, 'redis requires redis.url', 'session', 'store'),
    ...problemIf(
      session.store !== 'redis' && typeof maxHeaderBytes === 'number' && maxHeaderBytes < minHeaderBytes,
      `must be at least ${minHeaderBytes} when session.store is cookie`,
      'connections',
      'maxHeaderBytes',
    ),
  ];
};

const insecureMessage = `${secureUrlRule}, because of session`;

const ofIssuer = (message: string): Problem => ({ message, path: ['session', 'issuer'] });

const providerProblems = (issuer: string | null, providers: OtherSettings['providers']): readonly Problem[] => {
  const named = issuer === null ? providers : providers.filter((provider) => provider?.issuer === issuer);
  if (providers.length === 0) return [{ message: 'requires identity, where members sign in', path: ['session'] }];
  if (named.length === 0) return [ofIssuer('must be the issuer of a provider in identity')];
  if (named.length > 1) return [ofIssuer('required when identity is an array: the issuer that members sign in with')];
  const isInsecure = typeof named[0]?.issuer === 'string' && !isSecure(named[0].issuer);
  return [
    ...problemIf(isInsecure, insecureMessage, issuer === null ? 'identity' : 'session', 'issuer'),
    ...tokenProblems(named[0]),
  ];
};

/** Why the access tokens of sessions would not be issued, or would be refused. */
const tokenProblems = (provider: OtherSettings['providers'][number]): readonly Problem[] => {
  const { client, clients, dpop } = provider ?? {};
  const hasOtherId = Array.isArray(clients) && client?.id !== undefined && !clients.includes(client.id);
  return [
    ...problemIf(!client, 'requires identity.client, which must be registered at the provider for sign-in', 'session'),
    ...problemIf(hasOtherId, 'requires the id of identity.client in identity.clients', 'session'),
    ...problemIf(
      Boolean(client) && dpop === 'require',
      'requires identity.dpop to be off or accept: the tokens of sessions are bearer tokens',
      'session',
    ),
  ];
};

const isSecure = (url: string): boolean => isSecureUrl(URL.parse(url));

type SessionSetting = WithoutNulls<z.infer<typeof session>>;

interface WithSession extends WithProviders {
  readonly session?: SessionSetting;
}

/** The provider of browser sessions; undefined without sessions. */
export const sessionProvider = ({ session, identity }: WithSession): IdentityProvider | undefined =>
  session &&
  identityProviders({ identity }).find(({ issuer }) => session.issuer === undefined || issuer === session.issuer);

interface Serving {
  readonly session?: SessionSetting;
  readonly roles: readonly string[];
}

/** Whether an instance with these settings serves browser sessions. */
export const servesSessions = ({ session, roles }: Serving): boolean =>
  session !== undefined && roles.includes('member');

/** Whether it stores them in Redis. */
export const storesSessions = (settings: Serving): boolean =>
  servesSessions(settings) && settings.session?.store === 'redis';
