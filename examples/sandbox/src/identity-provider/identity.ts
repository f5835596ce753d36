import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JWK, type JWTPayload, createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import type { Context, Next } from 'koa';
import { Provider, errors } from 'oidc-provider';
import {
  AUDIENCE,
  configuration,
  ENDPOINTS,
  type FindUser,
  originsOf,
  profileOf,
  type ProviderSettings,
  REALM,
  RESOURCE,
  resourceServer,
  type SandboxUser,
} from './configuration.ts';
import { memoryRecords } from './records.ts';
import { signInPage } from './identity-pages.ts';
import { registerTokenExchange } from './token-exchange.ts';
import { type Mint, mintWith } from './mint.ts';

export type { SandboxUser } from './configuration.ts';

export interface IdentityProviderOptions {
  readonly users: readonly SandboxUser[];
  /** 0 (default): any free port. */
  readonly port?: number;
  /**
   * Base URLs of the portal, each with a trailing slash: redirect URIs of `portico-web`, and of `portico-portal` with
   * `session/callback` after them. Pages of these origins may call the provider, too.
   */
  readonly redirectUris?: readonly string[];
  /** Receives logout tokens of `portico-portal`. Default: `session/backchannel-logout` of the first redirect URI. */
  readonly backchannelLogoutUrl?: string;
  /** The public key of the client `portico-portal-jwt`. Default: there is no such client. */
  readonly portalKey?: JWK;
  /** Lifetime of an access token. Default: 900. */
  readonly accessTokenSeconds?: number;
}

export interface IdentityProvider {
  /** `http://127.0.0.1:<port>/realms/portico` */
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly jwksUrl: string;
  readonly port: number;
  /** Signs a token with the current key. */
  readonly mint: Mint;
  /** How many tokens were issued for this grant type so far. */
  issued(grantType: string): number;
  /** The access, refresh and ID tokens of the last responses, for tests that look for them where they must not be. */
  readonly tokens: ReadonlySet<string>;
  /** Signs with a new key from now on and removes the old one from the key set. Sessions are kept. */
  rotateKeys(): Promise<void>;
  /** Stops listening and drops connections immediately, like an outage. */
  stop(): Promise<void>;
  /** Listens again on the same port, with the same key unless it was rotated in the meantime. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** An OpenID Connect provider on loopback with the endpoint paths of a Keycloak realm. */
export const startIdentityProvider = async ({
  users,
  port: wantedPort = 0,
  redirectUris = ['http://127.0.0.1:8080/', 'http://localhost:8080/'],
  backchannelLogoutUrl = new URL('session/backchannel-logout', redirectUris[0]).href,
  portalKey: publicKey,
  accessTokenSeconds = 900,
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

  const settings = {
    users,
    portal: { redirectUris, backchannelLogoutUrl, publicKey },
    accessTokenSeconds,
    adapter: memoryRecords(),
    cookieKey: randomUUID(),
  };
  const issued = new Map<string, number>();
  const tokens = new Set<string>();
  const record: OnIssued = (grantType, response) => {
    issued.set(grantType, (issued.get(grantType) ?? 0) + 1);
    for (const name of ['access_token', 'refresh_token', 'id_token']) {
      const token = response[name];
      if (typeof token === 'string') tokens.add(token);
    }
    for (const oldest of tokens) if (tokens.size > maxTokens) tokens.delete(oldest);
  };
  const firstKey = await signingKey();
  await listen(wantedPort);
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}${REALM}`;
  let key = firstKey;
  handle = createProvider(issuer, key, settings, record).callback();

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
    tokens,
    issued: (grantType) => issued.get(grantType) ?? 0,
    async rotateKeys() {
      key = await signingKey();
      handle = createProvider(issuer, key, settings, record).callback();
    },
    stop,
    async start() {
      if (!server.listening) await listen(port);
    },
    close: stop,
  };
};

/** How many tokens are kept. */
const maxTokens = 1000;

/** Receives each response of the token endpoint. */
type OnIssued = (grantType: string, response: Readonly<Record<string, unknown>>) => void;

const createProvider = (issuer: string, key: JWK, settings: ProviderSettings, onIssued: OnIssued): Provider => {
  const { users } = settings;
  const find = (username: string | undefined) => users.find((user) => user.username === username);
  const accepts = (username: string, password: string) => find(username)?.password === password;
  const provider = new Provider(issuer, configuration(key, settings, find));

  provider.on('grant.success', (ctx) =>
    onIssued(String(ctx.oidc.params?.['grant_type']), ctx.body as Readonly<Record<string, unknown>>),
  );
  provider.use(signInPage(provider, accepts, users));
  provider.use(userinfo(issuer, key, find, settings.portal.redirectUris));
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

const signingKey = async (): Promise<JWK> => {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  return { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'RS256', use: 'sig' };
};
