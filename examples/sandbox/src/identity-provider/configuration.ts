import type { JWK } from 'jose';
import { type AdapterFactory, type Configuration, errors } from 'oidc-provider';
import {
  deviceCodePage,
  deviceConfirmPage,
  deviceSignedInPage,
  errorPage,
  signOutPage,
  signedOutPage,
} from './identity-pages.ts';
import { identityClients, type RegisteredPortal } from './clients.ts';

export interface SandboxUser {
  /** The `sub` of the token. */
  readonly username: string;
  readonly password: string;
  /** The `partyLocator` of the token. */
  readonly partyLocator: string;
  readonly name: string;
  readonly email: string;
}

export const REALM = '/realms/portico';
export const RESOURCE = 'urn:portico:api';
export const AUDIENCE = 'portico';
export const ENDPOINTS = {
  authorization: '/protocol/openid-connect/auth',
  token: '/protocol/openid-connect/token',
  jwks: '/protocol/openid-connect/certs',
  userinfo: '/protocol/openid-connect/userinfo',
  device_authorization: '/protocol/openid-connect/auth/device',
  code_verification: '/device',
  end_session: '/protocol/openid-connect/logout',
  revocation: '/protocol/openid-connect/revoke',
};

export interface ProviderSettings {
  readonly users: readonly SandboxUser[];
  readonly portal: RegisteredPortal;
  readonly accessTokenSeconds: number;
  readonly adapter: AdapterFactory;
  readonly cookieKey: string;
}

export type FindUser = (username: string | undefined) => SandboxUser | undefined;

const SCOPE = 'openid profile email';

export const resourceServer = {
  scope: SCOPE,
  audience: AUDIENCE,
  accessTokenFormat: 'jwt',
  jwt: { sign: { alg: 'RS256' } },
} as const;

export const configuration = (
  key: JWK,
  { users, portal, accessTokenSeconds, adapter, cookieKey }: ProviderSettings,
  find: FindUser,
): Configuration => ({
  adapter,
  jwks: { keys: [key] },
  cookies: { keys: [cookieKey] },
  routes: ENDPOINTS,
  responseTypes: ['code'],
  clients: identityClients(portal),
  claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email'] },
  // An access token for Portico cannot be used at the provider's userinfo, so the ID token has all claims.
  conformIdTokenClaims: false,
  clientBasedCORS: (_ctx, origin) => originsOf(portal.redirectUris).has(origin),
  extraTokenClaims: (_ctx, token) => {
    const smokeUser = token.clientId === 'portico-smoke' ? users[0] : undefined;
    const partyLocator = (token.kind === 'AccessToken' ? find(token.accountId) : smokeUser)?.partyLocator;
    return partyLocator === undefined ? undefined : { partyLocator };
  },
  features: {
    devInteractions: { enabled: false },
    backchannelLogout: { enabled: true },
    clientCredentials: { enabled: true },
    deviceFlow: {
      enabled: true,
      userCodeInputSource: deviceCodePage,
      userCodeConfirmSource: deviceConfirmPage,
      successSource: deviceSignedInPage,
    },
    pushedAuthorizationRequests: { enabled: false },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    rpInitiatedLogout: { enabled: true, logoutSource: signOutPage, postLogoutSuccessSource: signedOutPage },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => RESOURCE,
      useGrantedResource: () => true,
      getResourceServerInfo: (_ctx, resource) => {
        if (resource !== RESOURCE) throw new errors.InvalidTarget();
        return resourceServer;
      },
    },
  },
  // The default dispatcher refuses loopback, where portals of the sandbox receive logout tokens.
  fetch: (url, { dispatcher: _dispatcher, ...options } = {}) => fetch(url, options),
  findAccount: (_ctx, username) => {
    const user = find(username);
    return user && { accountId: username, claims: () => profileOf(user) };
  },
  interactions: { url: (_ctx, { uid }) => `${REALM}/sign-in/${uid}` },
  issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
  /** Grants consent without a prompt: the first request of a session grants all scopes. */
  loadExistingGrant: async ({ oidc }) => {
    const { client, provider, session } = oidc;
    const known = client && session?.grantIdFor(client.clientId);
    const existing = known && (await provider.Grant.find(known));
    if (existing) return existing;
    const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
    grant.addOIDCScope(`${SCOPE} offline_access`);
    grant.addResourceScope(RESOURCE, SCOPE);
    await grant.save();
    return grant;
  },
  renderError: errorPage,
  // A refresh token is used once: a second use ends the grant (RFC 9700, section 4.14.2).
  rotateRefreshToken: true,
  ttl: {
    AccessToken: accessTokenSeconds,
    AuthorizationCode: 60,
    DeviceCode: 600,
    ClientCredentials: 900,
    Grant: 86_400,
    IdToken: 900,
    Interaction: 3600,
    RefreshToken: 86_400,
    Session: 86_400,
  },
});

export const profileOf = ({ username, name, email }: SandboxUser) => ({
  sub: username,
  preferred_username: username,
  name,
  email,
});

export const originsOf = (uris: readonly string[]): ReadonlySet<string> =>
  new Set(uris.map((uri) => new URL(uri).origin));
