import type { JWK } from 'jose';
import type { ClientMetadata } from 'oidc-provider';
import { tokenExchangeGrant } from './token-exchange.ts';

/** The portal that signs its members in, as the provider has it registered. */
export interface RegisteredPortal {
  /** The base URLs of the portal, each with a trailing slash. */
  readonly redirectUris: readonly string[];
  /** Receives logout tokens (OpenID Connect Back-Channel Logout 1.0). */
  readonly backchannelLogoutUrl: string;
  /** The public key of `portico-portal-jwt`, which exists only with one. */
  readonly publicKey?: JWK | undefined;
}

export const identityClients = (portal: RegisteredPortal): ClientMetadata[] => {
  const { redirectUris } = portal;
  return [
    {
      client_id: 'portico-web',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: redirectUris,
      post_logout_redirect_uris: redirectUris,
    },
    {
      client_id: 'portico-smoke',
      client_secret: 'smoke-secret',
      grant_types: ['client_credentials', 'password'],
      redirect_uris: [],
      response_types: [],
    },
    {
      client_id: 'portico-server',
      client_secret: 'server-secret',
      grant_types: ['client_credentials', tokenExchangeGrant],
      redirect_uris: [],
      response_types: [],
    },
    {
      client_id: 'portico-cli',
      token_endpoint_auth_method: 'none',
      grant_types: ['password', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      redirect_uris: [],
      response_types: [],
    },
    { ...session(portal), client_id: 'portico-portal', client_secret: 'portal-secret' },
    ...(portal.publicKey
      ? [
          {
            ...session(portal),
            client_id: 'portico-portal-jwt',
            token_endpoint_auth_method: 'private_key_jwt' as const,
            jwks: { keys: [portal.publicKey] },
          },
        ]
      : []),
  ];
};

/** A confidential client of browser sessions (contract, section 11). */
const session = ({ redirectUris, backchannelLogoutUrl }: RegisteredPortal) => ({
  grant_types: ['authorization_code', 'refresh_token'],
  redirect_uris: redirectUris.map((uri) => new URL('session/callback', uri).href),
  post_logout_redirect_uris: [...redirectUris],
  backchannel_logout_uri: backchannelLogoutUrl,
  backchannel_logout_session_required: true,
});
