import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '@portico/core';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export const clientSecret = 'client-secret-3c1b';

const issuer = 'https://id.example';

/** Signing is slow enough to share the keys between tests. */
const keyPair = generateKeyPair('ES256', { extractable: true });
const otherKeyPair = generateKeyPair('ES256', { extractable: true });

/** `undefined` removes a claim. */
export type Claims = Readonly<Record<string, unknown>>;

interface Grant {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly nonce: string;
  readonly sid: string;
}

type TokenFault = (form: URLSearchParams) => Response | Promise<Response> | undefined;

export interface TestProvider {
  readonly issuer: string;
  readonly fetch: typeof globalThis.fetch;
  /** Signs the member in, as the pages of the provider would, and returns the URL of the callback. */
  authorize(location: string): URL;
  /** Parameters of every request to the token endpoint, and the `Authorization` header. */
  readonly tokenRequests: readonly (Readonly<Record<string, string>> & { readonly authorization?: string })[];
  /** Refresh tokens that were revoked. */
  readonly revoked: readonly string[];
  /** Paths of all requests. */
  readonly requests: readonly string[];
  /** Every token that was issued. */
  readonly issued: readonly string[];
  readonly behaviour: Behaviour;
  /** Signs a logout token. `undefined` removes a claim. */
  logoutToken(claims?: Claims, header?: Claims): Promise<string>;
}

/** What tests change. */
interface Behaviour {
  accessTokenSeconds: number;
  refreshTokens: boolean;
  /** Whether each refresh issues a new refresh token. */
  rotates: boolean;
  /** Changes the discovery document. */
  metadata: Readonly<Record<string, unknown>>;
  /** Changes the claims of ID tokens. */
  idToken: Claims;
  signsWithOtherKey: boolean;
  /** The key id in the headers of tokens. */
  keyId: string;
  /** The key id in the key set. */
  publishedKeyId: string;
  /** Adds another key with the same id to the key set. */
  sharesKeyId: boolean;
  /** Changes token responses. */
  tokens: Readonly<Record<string, unknown>>;
  /** Delays responses of a path that were made already. */
  hold: ((path: string) => Promise<void> | undefined) | undefined;
  /** Runs before each response; may replace it, fail or wait. */
  fault: ((path: string, form: URLSearchParams) => Response | Promise<Response | undefined> | undefined) | undefined;
}

const json = (value: object, status = 200): Response => Response.json(value, { status });

/** An OpenID provider with rotating refresh tokens. It refuses a refresh token that was used before. */
export const testProvider = (clock: Clock): TestProvider => {
  const grants = new Map<string, Grant>();
  const refreshTokens = new Map<string, Grant>();
  const tokenRequests: TestProvider['tokenRequests'][number][] = [];
  const revoked: string[] = [];
  const requests: string[] = [];
  const issued: string[] = [];
  const behaviour: Behaviour = {
    accessTokenSeconds: 300,
    refreshTokens: true,
    rotates: true,
    metadata: {},
    idToken: {},
    signsWithOtherKey: false,
    keyId: 'one',
    publishedKeyId: 'one',
    sharesKeyId: false,
    tokens: {},
    fault: undefined,
    hold: undefined,
  };
  const now = () => Math.floor(clock.now() / 1000);

  const sign = async (claims: Claims, header: Claims = {}) => {
    const { privateKey } = await (behaviour.signsWithOtherKey ? otherKeyPair : keyPair);
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: behaviour.keyId, ...header }).sign(privateKey);
  };

  const tokensFor = async (grant: Grant, sameToken?: string): Promise<Response> => {
    const accessToken = `access-${randomUUID()}`;
    const refreshToken = sameToken ?? `refresh-${randomUUID()}`;
    if (behaviour.refreshTokens) refreshTokens.set(refreshToken, grant);
    const { sid, nonce } = grant;
    const times = { iat: now(), exp: now() + 300 };
    const claims = { iss: issuer, aud: 'portal', sub: 'member-1', name: 'Mia Example', sid, nonce, ...times };
    const idToken = await sign({ ...claims, ...behaviour.idToken });
    issued.push(accessToken, refreshToken, idToken);
    return json({
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: behaviour.accessTokenSeconds,
      ...(behaviour.refreshTokens && { refresh_token: refreshToken }),
      id_token: idToken,
      ...behaviour.tokens,
    });
  };

  const redeem = (form: URLSearchParams): Promise<Response> | Response => {
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isValid = grant?.challenge === verifier && grant.redirectUri === form.get('redirect_uri');
    return grant && isValid ? tokensFor(grant) : json({ error: 'invalid_grant' }, 400);
  };

  const refresh = (form: URLSearchParams): Promise<Response> | Response => {
    const token = form.get('refresh_token') ?? '';
    const grant = refreshTokens.get(token);
    if (behaviour.rotates) refreshTokens.delete(token);
    return grant ? tokensFor(grant, behaviour.rotates ? undefined : token) : json({ error: 'invalid_grant' }, 400);
  };

  const token: TokenFault = (form) => (form.get('grant_type') === 'refresh_token' ? refresh(form) : redeem(form));

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize?tenant=a`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    revocation_endpoint: `${issuer}/revoke`,
    end_session_endpoint: `${issuer}/logout`,
    id_token_signing_alg_values_supported: ['ES256'],
    authorization_response_iss_parameter_supported: true,
    ...behaviour.metadata,
  });

  const respond = async (url: URL, form: URLSearchParams): Promise<Response> => {
    if (url.pathname === '/.well-known/openid-configuration') return json(metadata());
    if (url.pathname === '/jwks') {
      const pairs = [...(behaviour.sharesKeyId ? [otherKeyPair] : []), keyPair];
      const keys = pairs.map(async (pair) => exportJWK((await pair).publicKey));
      return json({
        keys: (await Promise.all(keys)).map((key) => ({
          ...key,
          kid: behaviour.publishedKeyId,
          alg: 'ES256',
          use: 'sig',
        })),
      });
    }
    if (url.pathname === '/token') return (await token(form))!;
    if (url.pathname !== '/revoke') return new Response('', { status: 404 });
    revoked.push(form.get('token') ?? '');
    refreshTokens.delete(form.get('token') ?? '');
    return new Response('');
  };

  return {
    issuer,
    tokenRequests,
    revoked,
    requests,
    issued,
    behaviour,
    fetch: async (input, options = {}) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const form = new URLSearchParams((options.body as URLSearchParams | null) ?? '');
      requests.push(url.pathname);
      if (url.pathname === '/token') {
        const authorization = new Headers(options.headers).get('authorization');
        tokenRequests.push({ ...Object.fromEntries(form), ...(authorization !== null && { authorization }) });
      }
      const response = (await behaviour.fault?.(url.pathname, form)) ?? (await respond(url, form));
      await behaviour.hold?.(url.pathname);
      return response;
    },
    authorize: (location) => {
      const { searchParams: query } = new URL(location);
      const code = `code-${randomUUID()}`;
      grants.set(code, {
        challenge: query.get('code_challenge') ?? '',
        redirectUri: query.get('redirect_uri') ?? '',
        nonce: query.get('nonce') ?? '',
        sid: `sid-${randomUUID()}`,
      });
      const callback = new URL(query.get('redirect_uri') ?? '');
      for (const [name, value] of Object.entries({ code, state: query.get('state') ?? '', iss: issuer }))
        callback.searchParams.set(name, value);
      return callback;
    },
    logoutToken: (claims = {}, header = {}) => {
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const all = { iss: issuer, aud: 'portal', iat: now(), exp: now() + 120, jti: randomUUID(), events, ...claims };
      return sign(all, { typ: 'logout+jwt', ...header });
    },
  };
};
