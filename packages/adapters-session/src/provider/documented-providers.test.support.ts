import type { SessionSettings } from '../settings.ts';

/** What a provider publishes and sends at sign-in and refresh, in the shape that its documentation shows, with invented ids. */
export interface DocumentedProvider {
  /** Where the shapes are documented. */
  readonly sources: readonly string[];
  /** The settings that the how-to of the provider shows. */
  readonly settings: Pick<SessionSettings, 'issuer' | 'scope' | 'authorizeParameters' | 'logoutUrl'>;
  readonly discovery: Readonly<Record<string, unknown>> & {
    readonly issuer: string;
    readonly authorization_endpoint: string;
    readonly token_endpoint: string;
    readonly jwks_uri: string;
    readonly revocation_endpoint?: string;
  };
  /** Claims of ID tokens besides `iss`, `aud`, `iat`, `exp` and `nonce`. */
  readonly idToken: Readonly<Record<string, unknown>> & { readonly sub: string };
  /** Fields of token responses besides the tokens. */
  readonly tokens: Readonly<Record<string, unknown>> & { readonly expires_in: number };
  /** What a refresh returns besides an access token. */
  readonly refresh: { readonly refreshToken: boolean; readonly idToken: boolean };
  /** The response to a refresh token that has expired or was revoked. */
  readonly refusal: { readonly status: number; readonly body: object };
  /** Where a member goes after the logout. */
  readonly logoutUrl: string;
}

export const clientId = 'portal';
export const publicUrl = 'https://portal.example';

const home = `${publicUrl}/`;
const encodedHome = encodeURIComponent(home);
const standardLogout = `?client_id=${clientId}&post_logout_redirect_uri=${encodedHome}`;

const realm = 'https://sso.example.com/realms/members';

const keycloak: DocumentedProvider = {
  sources: [
    'https://www.keycloak.org/securing-apps/oidc-layers',
    'https://www.keycloak.org/docs/latest/server_admin/index.html#_oidc-logout',
  ],
  settings: { issuer: realm },
  discovery: {
    issuer: realm,
    authorization_endpoint: `${realm}/protocol/openid-connect/auth`,
    token_endpoint: `${realm}/protocol/openid-connect/token`,
    jwks_uri: `${realm}/protocol/openid-connect/certs`,
    revocation_endpoint: `${realm}/protocol/openid-connect/revoke`,
    end_session_endpoint: `${realm}/protocol/openid-connect/logout`,
    id_token_signing_alg_values_supported: ['PS384', 'RS384', 'ES384', 'HS256', 'HS512', 'ES256', 'RS256'],
    token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['plain', 'S256'],
    authorization_response_iss_parameter_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  },
  idToken: {
    sub: '36fa0f91-f94d-4a0c-afed-6b7d952e47da',
    typ: 'ID',
    azp: clientId,
    sid: '2a88c258-f73a-4103-b862-e1fbd8f4e04e',
    acr: '1',
    name: 'Mia Example',
    preferred_username: 'mia',
  },
  tokens: {
    expires_in: 300,
    refresh_expires_in: 1800,
    token_type: 'Bearer',
    'not-before-policy': 0,
    session_state: '2a88c258-f73a-4103-b862-e1fbd8f4e04e',
    scope: 'openid profile',
  },
  refresh: { refreshToken: true, idToken: true },
  refusal: { status: 400, body: { error: 'invalid_grant', error_description: 'Token is not active' } },
  logoutUrl: `${realm}/protocol/openid-connect/logout${standardLogout}`,
};

const auth0Tenant = 'https://example.eu.auth0.com/';

const auth0: DocumentedProvider = {
  sources: [
    'https://auth0.com/docs/get-started/applications/configure-applications-with-oidc-discovery',
    'https://auth0.com/docs/secure/tokens/refresh-tokens/use-refresh-tokens',
    'https://auth0.com/docs/api/authentication/logout/oidc-logout',
    'https://support.auth0.com/center/s/article/troubleshoot-refresh-token-unknown-or-invalid-before-expiry-403-unknown-or-invalid-refresh-token',
  ],
  settings: {
    issuer: auth0Tenant,
    scope: 'openid profile offline_access',
    authorizeParameters: { audience: 'https://portal.example.com/api' },
  },
  discovery: {
    issuer: auth0Tenant,
    authorization_endpoint: `${auth0Tenant}authorize`,
    token_endpoint: `${auth0Tenant}oauth/token`,
    jwks_uri: `${auth0Tenant}.well-known/jwks.json`,
    revocation_endpoint: `${auth0Tenant}oauth/revoke`,
    end_session_endpoint: `${auth0Tenant}oidc/logout`,
    id_token_signing_alg_values_supported: ['HS256', 'RS256', 'PS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    code_challenge_methods_supported: ['S256', 'plain'],
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  },
  idToken: { sub: 'auth0|6553da60a54af58e29493993', sid: 'K-qwN1cvBhQrv0cTzmq9vGuSHOdBBDkV', name: 'Mia Example' },
  tokens: { expires_in: 86_400, token_type: 'Bearer', scope: 'openid profile offline_access' },
  // Without rotation, which is the default of a Regular Web Application.
  refresh: { refreshToken: false, idToken: true },
  refusal: { status: 403, body: { error: 'invalid_grant', error_description: 'Unknown or invalid refresh token.' } },
  logoutUrl: `${auth0Tenant}oidc/logout${standardLogout}`,
};

const tenant = '8eaef023-2b34-4da1-9baa-8bc8c9d6a490';
const authority = `https://login.microsoftonline.com/${tenant}`;

const entra: DocumentedProvider = {
  sources: [
    'https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc',
    'https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow',
    'https://learn.microsoft.com/en-us/entra/identity-platform/id-token-claims-reference',
  ],
  settings: {
    issuer: `${authority}/v2.0`,
    scope: 'openid profile offline_access api://6e74172b-be56-4843-9ff4-e66a39bb12e3/Me.Read',
  },
  discovery: {
    issuer: `${authority}/v2.0`,
    authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
    token_endpoint: `${authority}/oauth2/v2.0/token`,
    jwks_uri: `${authority}/discovery/v2.0/keys`,
    end_session_endpoint: `${authority}/oauth2/v2.0/logout`,
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
    frontchannel_logout_supported: true,
  },
  idToken: {
    sub: '-H5g8Kq0example_pairwise',
    aio: 'AXQAi/8TAAAA',
    name: 'Mia Example',
    oid: '00000000-0000-4000-8000-66f3332eca7e',
    preferred_username: 'mia@example.com',
    rh: '0.AAAA.',
    tid: tenant,
    uti: 'uti',
    ver: '2.0',
  },
  tokens: { expires_in: 3599, ext_expires_in: 3599, token_type: 'Bearer', scope: 'Me.Read' },
  refresh: { refreshToken: true, idToken: true },
  refusal: {
    status: 400,
    body: {
      error: 'invalid_grant',
      error_description: 'AADSTS70008: The provided authorization code or refresh token has expired.',
      error_codes: [70_008],
      timestamp: '2026-01-01 00:00:00Z',
      trace_id: '255d1aef-8c98-452f-ac51-23d051240864',
      correlation_id: 'fb3d2015-bc17-4bb9-bb85-30c5cf1aaaa7',
    },
  },
  logoutUrl: `${authority}/oauth2/v2.0/logout${standardLogout}`,
};

const oktaServer = 'https://example.okta.com/oauth2/default';
const oktaSignOut = `https://example.okta.com/login/signout?fromURI=${encodedHome}`;

const okta: DocumentedProvider = {
  sources: [
    'https://developer.okta.com/docs/api/openapi/okta-oauth/oauth/customas',
    'https://developer.okta.com/docs/guides/refresh-tokens/main/',
    // Its end_session_endpoint requires `id_token_hint`.
    'https://support.okta.com/help/s/article/the-purpose-of-id-token-hint-in-the-logout-api-and-how-does-it-affect-the-single-logout-process',
  ],
  settings: { issuer: oktaServer, scope: 'openid profile offline_access me.read', logoutUrl: oktaSignOut },
  discovery: {
    issuer: oktaServer,
    authorization_endpoint: `${oktaServer}/v1/authorize`,
    token_endpoint: `${oktaServer}/v1/token`,
    jwks_uri: `${oktaServer}/v1/keys`,
    revocation_endpoint: `${oktaServer}/v1/revoke`,
    end_session_endpoint: `${oktaServer}/v1/logout`,
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    code_challenge_methods_supported: ['S256'],
  },
  idToken: {
    sub: '00u1person',
    ver: 1,
    jti: 'ID.MNAoEQ',
    amr: ['pwd'],
    idp: '00o1',
    auth_time: 1_767_225_000,
    at_hash: undefined,
    name: 'Mia Example',
  },
  tokens: { expires_in: 3600, token_type: 'Bearer', scope: 'openid profile offline_access me.read' },
  // A persistent refresh token is returned again.
  refresh: { refreshToken: true, idToken: true },
  refusal: {
    status: 400,
    body: { error: 'invalid_grant', error_description: 'The refresh token is invalid or expired.' },
  },
  logoutUrl: oktaSignOut,
};

const pool = 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE';
const domain = 'https://members.auth.us-east-1.amazoncognito.com';
const cognitoLogout = `${domain}/logout?client_id=${clientId}&logout_uri=${encodedHome}`;

const cognito: DocumentedProvider = {
  sources: [
    'https://docs.aws.amazon.com/cognito/latest/developerguide/federation-endpoints.html',
    'https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-refresh-token.html',
    'https://docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html',
  ],
  settings: {
    issuer: pool,
    scope: 'openid profile https://portal.example.com/me.read',
    authorizeParameters: { resource: 'https://portal.example.com' },
    logoutUrl: cognitoLogout,
  },
  // The endpoints have another host than the issuer.
  discovery: {
    issuer: pool,
    authorization_endpoint: `${domain}/oauth2/authorize`,
    token_endpoint: `${domain}/oauth2/token`,
    jwks_uri: `${pool}/.well-known/jwks.json`,
    revocation_endpoint: `${domain}/oauth2/revoke`,
    end_session_endpoint: `${domain}/logout`,
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  },
  idToken: {
    sub: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
    'cognito:username': 'mia',
    origin_jti: 'origin',
    event_id: 'event',
    token_use: 'id',
    auth_time: 1_767_225_000,
    jti: 'jti',
    name: 'Mia Example',
  },
  tokens: { expires_in: 3600, token_type: 'Bearer' },
  // Without rotation.
  refresh: { refreshToken: false, idToken: true },
  refusal: { status: 400, body: { error: 'invalid_grant' } },
  logoutUrl: cognitoLogout,
};

export const documentedProviders = {
  Keycloak: keycloak,
  Auth0: auth0,
  'Auth0 with rotation': { ...auth0, refresh: { refreshToken: true, idToken: true } },
  Entra: entra,
  Okta: okta,
  Cognito: cognito,
  'Cognito without a logout page in discovery': {
    ...cognito,
    discovery: { ...cognito.discovery, end_session_endpoint: undefined },
  },
} as const;
