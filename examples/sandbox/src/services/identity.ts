import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JWK, type JWTPayload, createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import type { Context, Next } from 'koa';
import { type AdapterFactory, type AdapterPayload, type Configuration, Provider, errors } from 'oidc-provider';
import {
  deviceCodePage,
  deviceConfirmPage,
  deviceSignedInPage,
  errorPage,
  signInPage,
  signOutPage,
  signedOutPage,
} from './identity-pages.ts';
import { registerTokenExchange, tokenExchangeGrant } from './token-exchange.ts';
import { type Mint, mintWith } from './mint.ts';

export interface SandboxUser {
  /** The `sub` of the token. */
  readonly username: string;
  readonly password: string;
  /** The `partyLocator` of the token. */
  readonly partyLocator: string;
  readonly name: string;
  readonly email: string;
}

export interface IdentityProviderOptions {
  readonly users: readonly SandboxUser[];
  /** 0 (default): any free port. */
  readonly port?: number;
  /** Redirect URIs of `portico-web`; pages of these origins may call the provider, too. */
  readonly redirectUris?: readonly string[];
}

export interface IdentityProvider {
  /** `http://127.0.0.1:<port>/realms/portico` */
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly jwksUrl: string;
  readonly port: number;
  /** Signs a token with the current key. */
  readonly mint: Mint;
  /** Signs with a new key from now on and removes the old one from the key set. Sessions are kept. */
  rotateKeys(): Promise<void>;
  /** Stops listening and drops connections immediately, like an outage. */
  stop(): Promise<void>;
  /** Listens again on the same port, with the same key unless it was rotated in the meantime. */
  start(): Promise<void>;
  close(): Promise<void>;
}

const REALM = '/realms/portico';
const RESOURCE = 'urn:portico:api';
const AUDIENCE = 'portico';
const ENDPOINTS = {
  authorization: '/protocol/openid-connect/auth',
  token: '/protocol/openid-connect/token',
  jwks: '/protocol/openid-connect/certs',
  userinfo: '/protocol/openid-connect/userinfo',
  device_authorization: '/protocol/openid-connect/auth/device',
  code_verification: '/device',
  end_session: '/protocol/openid-connect/logout',
  revocation: '/protocol/openid-connect/revoke',
};

/** An OpenID Connect provider on loopback with the endpoint paths of a Keycloak realm. */
export const startIdentityProvider = async ({
  users,
  port: wantedPort = 0,
  redirectUris = ['http://127.0.0.1:8080/', 'http://localhost:8080/'],
}: IdentityProviderOptions): Promise<IdentityProvider> => {
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown;
  const server = createServer((request, response) => {
    if (!request.url?.startsWith(`${REALM}/`)) return void response.writeHead(404).end();
    // The provider determines its mount path by comparing the two.
    handle(Object.assign(request, { originalUrl: request.url, url: request.url.slice(REALM.length) }), response);
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };

  const settings = { users, redirectUris, adapter: memory(), cookieKey: randomUUID() };
  const firstKey = await signingKey();
  await listen(wantedPort);
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}${REALM}`;
  let key = firstKey;
  handle = createProvider(issuer, key, settings).callback();

  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };

  return {
    issuer,
    tokenUrl: issuer + ENDPOINTS.token,
    jwksUrl: issuer + ENDPOINTS.jwks,
    port,
    mint: mintWith(issuer, AUDIENCE, () => key),
    async rotateKeys() {
      key = await signingKey();
      handle = createProvider(issuer, key, settings).callback();
    },
    stop,
    async start() {
      if (!server.listening) await listen(port);
    },
    close: stop,
  };
};

interface Settings {
  readonly users: readonly SandboxUser[];
  readonly redirectUris: readonly string[];
  readonly adapter: AdapterFactory;
  readonly cookieKey: string;
}

const createProvider = (issuer: string, key: JWK, settings: Settings): Provider => {
  const { users } = settings;
  const find = (username: string | undefined) => users.find((user) => user.username === username);
  const accepts = (username: string, password: string) => find(username)?.password === password;
  const provider = new Provider(issuer, configuration(key, settings, find));

  provider.use(signInPage(provider, accepts));
  provider.use(userinfo(issuer, key, find, settings.redirectUris));
  provider.registerGrantType<{ username?: string; password?: string }>(
    'password',
    async (ctx) => {
      const { client, params } = ctx.oidc;
      const { username, password, scope } = params;
      if (!username || !password) throw new errors.InvalidRequest('username and password are required');
      if (!accepts(username, password)) throw new errors.InvalidGrant('unknown user or wrong password');
      // A JWT is never looked up, so its grant is not stored.
      const token = new provider.AccessToken({ client, accountId: username, gty: 'password', grantId: randomUUID() });
      token.resourceServer = new provider.ResourceServer(RESOURCE, resourceServer);
      token.scope = scope
        ?.split(' ')
        .filter((name) => token.resourceServer?.scopes.has(name))
        .join(' ');
      ctx.body = {
        access_token: await token.save(),
        expires_in: token.expiration,
        token_type: token.tokenType,
        scope: token.scope,
      };
    },
    ['username', 'password', 'scope'],
  );
  registerTokenExchange(provider, resourceServer, verifier(issuer, key));
  return provider;
};

type FindUser = (username: string | undefined) => SandboxUser | undefined;

const SCOPE = 'openid profile email';

const resourceServer = {
  scope: SCOPE,
  audience: AUDIENCE,
  accessTokenFormat: 'jwt',
  jwt: { sign: { alg: 'RS256' } },
} as const;

const configuration = (
  key: JWK,
  { users, redirectUris, adapter, cookieKey }: Settings,
  find: FindUser,
): Configuration => ({
  adapter,
  jwks: { keys: [key] },
  cookies: { keys: [cookieKey] },
  routes: ENDPOINTS,
  responseTypes: ['code'],
  clients: [
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
  ],
  claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email'] },
  // An access token for Portico cannot be used at the provider's userinfo, so the ID token has all claims.
  conformIdTokenClaims: false,
  clientBasedCORS: (_ctx, origin) => originsOf(redirectUris).has(origin),
  extraTokenClaims: (_ctx, token) => {
    const smokeUser = token.clientId === 'portico-smoke' ? users[0] : undefined;
    const partyLocator = (token.kind === 'AccessToken' ? find(token.accountId) : smokeUser)?.partyLocator;
    return partyLocator === undefined ? undefined : { partyLocator };
  },
  features: {
    devInteractions: { enabled: false },
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
  ttl: {
    AccessToken: 900,
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

/** Verifies access tokens for Portico. */
const verifier = (issuer: string, { kty, n, e, kid }: JWK) => {
  const keys = createLocalJWKSet({ keys: [{ kty, n, e, kid }] as JWK[] });
  return async (token: string): Promise<JWTPayload> =>
    (await jwtVerify(token, keys, { issuer, audience: AUDIENCE })).payload;
};

/** Accepts access tokens for Portico, as Keycloak does; oidc-provider's userinfo refuses tokens with an audience. */
const userinfo = (issuer: string, key: JWK, find: FindUser, redirectUris: readonly string[]) => {
  const verify = verifier(issuer, key);
  const origins = originsOf(redirectUris);
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path !== ENDPOINTS.userinfo || ctx.method === 'OPTIONS') return next();
    ctx.vary('Origin');
    if (origins.has(ctx.get('Origin'))) ctx.set('Access-Control-Allow-Origin', ctx.get('Origin'));
    const token = ctx.get('Authorization').replace(/^Bearer /i, '');
    const verified = await verify(token).catch(() => undefined);
    const user = find(verified?.sub);
    if (user) {
      ctx.body = profileOf(user);
      return;
    }
    ctx.status = 401;
    ctx.set('WWW-Authenticate', 'Bearer error="invalid_token"');
    ctx.body = { error: 'invalid_token' };
  };
};

const profileOf = ({ username, name, email }: SandboxUser) => ({
  sub: username,
  preferred_username: username,
  name,
  email,
});

const originsOf = (uris: readonly string[]): ReadonlySet<string> => new Set(uris.map((uri) => new URL(uri).origin));

const signingKey = async (): Promise<JWK> => {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  return { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'RS256', use: 'sig' };
};

/** State of the provider. It outlives the provider instance, which is replaced when keys rotate. */
const memory = (): AdapterFactory => {
  const records = new Map<string, AdapterPayload>();
  return (model) => ({
    async upsert(id, payload) {
      records.set(`${model}:${id}`, payload);
    },
    async find(id) {
      return records.get(`${model}:${id}`);
    },
    async findByUid(uid) {
      return [...records.values()].find((record) => record.kind === model && record.uid === uid);
    },
    async findByUserCode(userCode) {
      return [...records.values()].find((record) => record.userCode === userCode);
    },
    async consume(id) {
      const record = records.get(`${model}:${id}`);
      if (record) record.consumed = Math.floor(Date.now() / 1000);
    },
    async destroy(id) {
      records.delete(`${model}:${id}`);
    },
    async revokeByGrantId(grantId) {
      for (const [id, record] of records) if (record.grantId === grantId) records.delete(id);
    },
  });
};
