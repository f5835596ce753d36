import type { Clock, UpstreamReason } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { decodeJwt, errors } from 'jose';
import { fromThrowable } from 'neverthrow';
import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  clockSkew,
  clockTolerance,
  customFetch,
  type IDToken,
  getValidatedIdTokenClaims,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  refreshTokenGrantRequest,
  ResponseBodyError,
  revocationRequest,
  type TokenEndpointResponse,
  UnsupportedOperationError,
  validateAuthResponse,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { attemptSeconds, type LoginAttempt } from '../cookies/login-cookie.ts';
import type { SessionClient } from '../settings.ts';
import { clientAuthentication } from './client-authentication.ts';
import { isDownloadFailure, type Provider } from './discovery.ts';
import { type TokenAudience, verifyIdToken } from './id-token.ts';
import { ProviderError, type ProviderFetch } from './provider-fetch.ts';

/** Times are in seconds since the epoch. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly expiresAt: number;
  /** From when on the access token should be refreshed. */
  readonly refreshAt: number;
}

/** The tokens of a sign-in, and who signed in. */
export interface SignIn {
  readonly tokens: Tokens;
  readonly claims: IDToken;
}

export type RefreshResult =
  | { readonly kind: 'refreshed'; readonly tokens: Tokens }
  /** The provider refused the refresh token, or issued tokens of another member. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed'; readonly reason: UpstreamReason };

/** Requests to the token endpoint and the revocation endpoint, with the authentication of the client. */
export interface TokenEndpoint {
  /** Validates the authorization response and redeems its code. Rejects with an error of oauth4webapi or jose. */
  signIn(provider: Provider, query: URLSearchParams, attempt: LoginAttempt, redirectUri: string): Promise<SignIn>;
  /** RFC 6749, section 6. Never rejects. */
  refresh(provider: Provider, refreshToken: string, subject: string): Promise<RefreshResult>;
  /** RFC 7009. Returns why it failed, or undefined. Never rejects. */
  revoke(provider: Provider, refreshToken: string): Promise<UpstreamReason | undefined>;
}

interface TokenEndpointSettings extends Pick<TokenAudience, 'clock' | 'clockToleranceSeconds'> {
  readonly fetch: ProviderFetch;
  readonly maxAge?: number;
}

export const tokenEndpoint = (
  client: SessionClient,
  { fetch, clock, clockToleranceSeconds, maxAge }: TokenEndpointSettings,
): TokenEndpoint => {
  const authenticate = clientAuthentication(client);
  const options = { [customFetch]: fetch, [allowInsecureRequests]: true } as const;
  // `fetch` refuses http to other machines itself. oauth4webapi reads the system's clock, so it gets the difference.
  const currentClient = (): Client => ({
    client_id: client.id,
    [clockSkew]: Math.round((clock.now() - systemClock.now()) / 1000),
    [clockTolerance]: clockToleranceSeconds,
  });
  // A browser could remove max_age from its authorization request, so auth_time must show that the provider kept to it. Its age
  // counts when the sign-in begins: after the password, the provider may ask for more (OpenID Connect Core 1.0, section 3.1.2.1).
  const maxAgeNow = ({ expiresAt }: LoginAttempt) =>
    maxAge !== undefined && {
      // The clock of the instance where it began may be ahead.
      maxAge: Math.max(0, maxAge + Math.ceil(clock.now() / 1000) - (expiresAt - attemptSeconds)),
    };
  const verified = { clientId: client.id, clock, clockToleranceSeconds };

  return {
    signIn: async (provider, query, attempt, redirectUri) => {
      const { server } = provider;
      const current = currentClient();
      const callback = validateAuthResponse(server, current, query, attempt.state);
      const { codeVerifier } = attempt;
      const response = await processAuthorizationCodeResponse(
        server,
        current,
        await authorizationCodeGrantRequest(
          server,
          current,
          authenticate,
          callback,
          redirectUri,
          codeVerifier,
          options,
        ),
        { expectedNonce: attempt.nonce, requireIdToken: true, ...maxAgeNow(attempt) },
      );
      await verifyIdToken(provider, response.id_token!, verified);
      return { tokens: tokensOf(response, clock), claims: getValidatedIdTokenClaims(response)! };
    },
    refresh: async (provider, refreshToken, subject) => {
      try {
        const { server } = provider;
        const current = currentClient();
        const response = await processRefreshTokenResponse(
          server,
          current,
          await refreshTokenGrantRequest(server, current, authenticate, refreshToken, options),
        );
        if (response.id_token !== undefined) {
          const { sub } = await refreshedClaims(provider, response, verified);
          if (sub !== subject) return { kind: 'refused' };
        }
        return { kind: 'refreshed', tokens: { refreshToken, ...tokensOf(response, clock) } };
      } catch (error) {
        return (await isRefusal(error)) ? { kind: 'refused' } : { kind: 'failed', reason: reasonOf(error) };
      }
    },
    revoke: async ({ server }, refreshToken) => {
      if (server.revocation_endpoint === undefined) return undefined;
      try {
        const additionalParameters = { token_type_hint: 'refresh_token' };
        const request = { ...options, additionalParameters };
        await processRevocationResponse(
          await revocationRequest(server, currentClient(), authenticate, refreshToken, request),
        );
        return undefined;
      } catch (error) {
        return reasonOf(error);
      }
    },
  };
};

/**
 * Verifies the ID token of a refresh. While the keys cannot be fetched, the TLS connection to the token endpoint replaces the
 * check of the signature (OpenID Connect Core 1.0, section 3.1.3.7): otherwise a refresh token that replaced the previous
 * one would be lost.
 */
const refreshedClaims = async (
  provider: Provider,
  response: TokenEndpointResponse,
  verified: TokenAudience,
): Promise<Pick<IDToken, 'sub'>> => {
  try {
    const { sub } = await verifyIdToken(provider, response.id_token!, verified);
    return { sub: sub! };
  } catch (error) {
    if (!isWithoutKeys(error)) throw error;
    return getValidatedIdTokenClaims(response)!;
  }
};

/** Whether the key of a token is not known. jose downloads the keys again for an unknown key id, but not within 30 seconds. */
const isWithoutKeys = (error: unknown): boolean =>
  isDownloadFailure(error) || error instanceof errors.JWKSNoMatchingKey;

/** The lifetime of an access token that does not show it, in seconds. */
const unknownLifetimeSeconds = 300;

const refreshSkewSeconds = 30;

const tokensOf = (response: TokenEndpointResponse, clock: Clock): Tokens => {
  // No DPoP proof was sent, so a token that needs one cannot be used.
  if (response.token_type !== 'bearer') throw new UnsupportedOperationError('unsupported `token_type` value');
  const now = Math.floor(clock.now() / 1000);
  const expiresAt = now + (response.expires_in ?? lifetimeOf(response.access_token, now));
  return {
    accessToken: response.access_token,
    ...(response.refresh_token !== undefined && { refreshToken: response.refresh_token }),
    expiresAt,
    // Tokens that live for less than two minutes are refreshed in the last quarter of their lifetime.
    refreshAt: expiresAt - Math.min(refreshSkewSeconds, Math.ceil((expiresAt - now) / 4)),
  };
};

/** `expires_in` is optional (RFC 6749, section 5.1). The token is only read: the member API verifies it. */
const lifetimeOf = (accessToken: string, now: number): number => {
  const exp = fromThrowable(decodeJwt)(accessToken).unwrapOr(undefined)?.exp;
  return Number.isFinite(exp) ? Math.max(0, exp! - now) : unknownLifetimeSeconds;
};

/**
 * The errors of a refresh after which only another sign-in helps: RFC 6749, section 5.2, and OpenID Connect Core 1.0, section
 * 3.1.2.6, whose errors Microsoft Entra ID also sends from its token endpoint.
 */
const refusals: ReadonlySet<unknown> = new Set([
  'invalid_grant',
  'interaction_required',
  'login_required',
  'consent_required',
]);

/** A 401 is about the client (RFC 6749, section 5.2): a wrong secret on one instance must not end the sessions of all. */
const isRefusal = async (thrown: unknown): Promise<boolean> => {
  if (thrown instanceof ResponseBodyError) return refusals.has(thrown.error);
  // With a challenge in its header, oauth4webapi does not read the body.
  if (!(thrown instanceof WWWAuthenticateChallengeError) || thrown.status === 401) return false;
  const body: unknown = await thrown.response.json().catch(() => undefined);
  return refusals.has((body as { readonly error?: unknown } | null | undefined)?.error);
};

const statusOf = (error: unknown): number | undefined => {
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) return error.status;
  // An unexpected response without an OAuth error.
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Response && !cause.ok ? cause.status : undefined;
};

export const reasonOf = (error: unknown): UpstreamReason => {
  if (error instanceof ProviderError) return error.reason;
  return statusOf(error) === undefined ? 'malformed' : 'status';
};
