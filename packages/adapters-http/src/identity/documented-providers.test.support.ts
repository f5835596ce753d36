/** What a provider publishes and issues, in the shape that its documentation shows, with invented ids. */
export interface DocumentedProvider {
  /** Where the shape is documented. */
  readonly source: string;
  readonly settings: { readonly issuer: string; readonly audience: readonly string[]; readonly jwksUrl?: string };
  /** Rules for access, as the how-to of the provider sets them. */
  readonly rules: { readonly locatorClaim?: string; readonly scopes: { readonly read: string } };
  /** The discovery document: the fields that matter here. */
  readonly discovery: { readonly issuer: string; readonly jwks_uri: string };
  /** Fields of the published signing key besides `kty`, `n`, `e` and `kid`. */
  readonly keyFields: object;
  /** A published key that does not sign tokens, beside the signing key. */
  readonly otherKey?: object;
  /** The token header besides `alg` and `kid`. */
  readonly header: object;
  /** The claims of a member's access token, without the times. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly lifetimeSeconds: number;
  readonly locator: string;
}

const tenant = '8eaef023-2b34-4da1-9baa-8bc8c9d6a490';
const api = '6e74172b-be56-4843-9ff4-e66a39bb12e3';
const person = '00000000-0000-4000-8000-66f3332eca7e';
const pool = 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE';
const realm = 'https://sso.example.com/realms/members';

const keycloak: DocumentedProvider = {
  source: 'Keycloak: Server Administration Guide, Audience support; OpenID Connect endpoints',
  settings: { issuer: realm, audience: ['portico'] },
  rules: { locatorClaim: 'partyLocator', scopes: { read: 'profile' } },
  discovery: { issuer: realm, jwks_uri: `${realm}/protocol/openid-connect/certs` },
  keyFields: { alg: 'RS256', use: 'sig', x5c: ['MIIC'], x5t: 'x5t' },
  // A realm also publishes its key for encryption.
  otherKey: { kid: 'encrypts', kty: 'RSA', alg: 'RSA-OAEP', use: 'enc', n: 'AQAB', e: 'AQAB' },
  header: { typ: 'JWT' },
  claims: {
    jti: 'd58f5dc8-fd8f-462b-8a19-716f8f83985b',
    iss: realm,
    aud: ['portico', 'account'],
    sub: '36fa0f91-f94d-4a0c-afed-6b7d952e47da',
    typ: 'Bearer',
    azp: 'portal-web',
    sid: '2a88c258-f73a-4103-b862-e1fbd8f4e04e',
    acr: '1',
    'allowed-origins': ['https://portal.example.com'],
    realm_access: { roles: ['offline_access', 'uma_authorization'] },
    resource_access: { account: { roles: ['manage-account'] } },
    scope: 'openid email profile',
    partyLocator: 'PTY-1',
  },
  lifetimeSeconds: 300,
  locator: 'PTY-1',
};

const auth0: DocumentedProvider = {
  source: 'Auth0: Access Token Profiles, Auth0 profile sample token',
  settings: { issuer: 'https://example.eu.auth0.com/', audience: ['https://portal.example.com/api'] },
  rules: { locatorClaim: 'https://portal.example.com/partyLocator', scopes: { read: 'read:me' } },
  discovery: {
    issuer: 'https://example.eu.auth0.com/',
    jwks_uri: 'https://example.eu.auth0.com/.well-known/jwks.json',
  },
  keyFields: { alg: 'RS256', use: 'sig', x5c: ['MIIC'], x5t: 'x5t' },
  header: { typ: 'JWT' },
  claims: {
    iss: 'https://example.eu.auth0.com/',
    sub: 'auth0|6553da60a54af58e29493993',
    aud: ['https://portal.example.com/api', 'https://example.eu.auth0.com/userinfo'],
    azp: 'K1AUPhZq8mRi0Q0pjhkfu1D7y6KjDQja',
    scope: 'openid profile read:me',
    'https://portal.example.com/partyLocator': 'PTY-1',
  },
  lifetimeSeconds: 86_400,
  locator: 'PTY-1',
};

const auth0Rfc9068: DocumentedProvider = {
  ...auth0,
  source: 'Auth0: Access Token Profiles, RFC 9068 profile sample token',
  header: { typ: 'at+jwt' },
  claims: { ...auth0.claims, azp: undefined, client_id: auth0.claims['azp'], jti: '73WakrfVbNJBaAmhQtEeDv' },
};

const entra: DocumentedProvider = {
  source: 'Microsoft identity platform: Access token claims reference, version 2.0',
  settings: { issuer: `https://login.microsoftonline.com/${tenant}/v2.0`, audience: [api] },
  rules: { locatorClaim: 'oid', scopes: { read: 'Me.Read' } },
  discovery: {
    issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
    jwks_uri: `https://login.microsoftonline.com/${tenant}/discovery/v2.0/keys`,
  },
  // No `alg`, and an `issuer` for each key.
  keyFields: { use: 'sig', x5t: 'x5t', x5c: ['MIIC'], issuer: `https://login.microsoftonline.com/${tenant}/v2.0` },
  header: { typ: 'JWT' },
  claims: {
    aud: api,
    iss: `https://login.microsoftonline.com/${tenant}/v2.0`,
    aio: 'AXQAi/8TAAAA',
    azp: '7b1c5a86-0000-4000-8000-27e9c6a01b5a',
    azpacr: '0',
    name: 'Sample Person',
    oid: person,
    preferred_username: 'person@example.com',
    rh: '0.AAAA.',
    scp: 'Me.Read Me.Write',
    sub: '-H5g8Kq0example_pairwise',
    tid: tenant,
    uti: 'uti',
    ver: '2.0',
  },
  lifetimeSeconds: 5400,
  locator: person,
};

const entraVersion1: DocumentedProvider = {
  ...entra,
  source: 'Microsoft identity platform: Access token claims reference, version 1.0',
  settings: {
    issuer: `https://sts.windows.net/${tenant}/`,
    audience: [`api://${api}`],
    jwksUrl: `https://login.microsoftonline.com/${tenant}/discovery/keys`,
  },
  claims: {
    ...entra.claims,
    aud: `api://${api}`,
    iss: `https://sts.windows.net/${tenant}/`,
    azp: undefined,
    azpacr: undefined,
    appid: '7b1c5a86-0000-4000-8000-27e9c6a01b5a',
    appidacr: '0',
    ver: '1.0',
  },
};

const okta: DocumentedProvider = {
  source: 'Okta: OpenID Connect and OAuth 2.0 API, access token payload of a custom authorization server',
  settings: { issuer: 'https://example.okta.com/oauth2/default', audience: ['api://default'] },
  rules: { locatorClaim: 'partyLocator', scopes: { read: 'me.read' } },
  discovery: {
    issuer: 'https://example.okta.com/oauth2/default',
    jwks_uri: 'https://example.okta.com/oauth2/default/v1/keys',
  },
  keyFields: { alg: 'RS256', use: 'sig', status: 'ACTIVE' },
  // No `typ`.
  header: {},
  claims: {
    ver: 1,
    jti: 'AT.MNAoEQ_jbKqoinrQo1D0XKjMX28U5d7ZszBceot7-Ts',
    iss: 'https://example.okta.com/oauth2/default',
    aud: 'api://default',
    cid: '0oa1client',
    uid: '00u1person',
    scp: ['openid', 'profile', 'me.read'],
    auth_time: 1_767_225_000,
    sub: 'person@example.com',
    partyLocator: 'PTY-1',
  },
  lifetimeSeconds: 3600,
  locator: 'PTY-1',
};

const cognito: DocumentedProvider = {
  source: 'Amazon Cognito: Understanding the access token; Scopes, M2M, and resource servers, Resource binding',
  settings: { issuer: pool, audience: ['https://portal.example.com'] },
  rules: { scopes: { read: 'https://portal.example.com/me.read' } },
  discovery: { issuer: pool, jwks_uri: `${pool}/.well-known/jwks.json` },
  keyFields: { alg: 'RS256', use: 'sig' },
  // Cognito signs ID tokens with another key.
  otherKey: { kid: 'signs ID tokens', kty: 'RSA', alg: 'RS256', use: 'sig', n: 'AQAB', e: 'AQAB' },
  header: {},
  claims: {
    sub: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
    'cognito:groups': ['members'],
    iss: pool,
    version: 2,
    client_id: 'xxxxxxxxxxxxexample',
    aud: 'https://portal.example.com',
    origin_jti: 'origin',
    event_id: 'event',
    token_use: 'access',
    scope: 'openid https://portal.example.com/me.read',
    auth_time: 1_767_225_000,
    jti: 'jti',
    username: 'person',
  },
  lifetimeSeconds: 3600,
  locator: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
};

export const documentedProviders = {
  Keycloak: keycloak,
  Auth0: auth0,
  'Auth0 with the RFC 9068 profile': auth0Rfc9068,
  Entra: entra,
  'Entra version 1': entraVersion1,
  Okta: okta,
  Cognito: cognito,
} as const;
