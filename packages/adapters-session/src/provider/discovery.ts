import type { Clock } from '@portico/core';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch as jwksFetch,
  errors,
  type JSONWebKeySet,
  jwksCache,
  type JWKSCacheInput,
  type JWTVerifyGetKey,
} from 'jose';
import {
  allowInsecureRequests,
  type AuthorizationServer,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
} from 'oauth4webapi';
import { ProviderError, type ProviderFetch } from './provider-fetch.ts';
import { secureUrl } from './provider-url.ts';

/** The identity provider as its discovery document describes it, with its keys. */
export interface Provider {
  readonly server: AuthorizationServer;
  readonly keys: JWTVerifyGetKey;
  /** Kept apart: anyone can send logout tokens with unknown key ids, after which jose waits before it downloads keys again. */
  readonly logoutKeys: JWTVerifyGetKey;
}

/** How requests are sent to the provider. */
interface Requests {
  readonly fetch: ProviderFetch;
  readonly clock: Clock;
}

const maxAgeMs = 3_600_000;

/** How long the last good document is used after a failure. */
const retryMs = 60_000;

/** How long the last keys verify logout tokens while newer ones cannot be downloaded, as on the member routes (contract, section 1). */
const keysMs = 24 * 3_600_000;

/**
 * Returns the function that finds the provider (OpenID Connect Discovery 1.0, section 4). The document is fetched at first
 * use, by one request at a time, and again every hour; the last good one stays in use while that fails. Rejects with a
 * `ProviderError` if there is none.
 */
export const discovery = (issuer: string, requests: Requests): (() => Promise<Provider>) => {
  const { fetch, clock } = requests;
  const url = secureUrl(issuer, 'the issuer');
  let known: { readonly provider: Provider; readonly fetchedAt: number } | undefined;
  let pending: Promise<Provider> | undefined;

  const load = async (): Promise<Provider> => {
    try {
      const options = { [customFetch]: fetch, [allowInsecureRequests]: url.protocol === 'http:' };
      const server = await processDiscoveryResponse(url, await discoveryRequest(url, options));
      const provider = known && isSame(known.provider.server, server) ? known.provider : providerOf(server, requests);
      known = { provider, fetchedAt: clock.monotonic() };
      return provider;
    } catch (error) {
      if (known) {
        known = { ...known, fetchedAt: clock.monotonic() - maxAgeMs + retryMs };
        return known.provider;
      }
      throw error instanceof ProviderError ? error : new ProviderError('malformed', error);
    } finally {
      pending = undefined;
    }
  };

  return async () => {
    if (known && clock.monotonic() - known.fetchedAt < maxAgeMs) return known.provider;
    return (pending ??= load());
  };
};

const isSame = (one: AuthorizationServer, other: AuthorizationServer): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const providerOf = (server: AuthorizationServer, { fetch, clock }: Requests): Provider => {
  const url = secureUrl(server.jwks_uri ?? '', 'jwks_uri of the identity provider');
  /** jose writes each key set that one of the two has downloaded into it. */
  const downloaded: JWKSCacheInput = {};
  let last: { readonly keys: JSONWebKeySet; readonly at: number } | undefined;
  const keySet = (): JWTVerifyGetKey => {
    const remote = createRemoteJWKSet(url, {
      [jwksFetch]: (target, options) => fetch(target, options),
      [jwksCache]: downloaded,
    });
    return async (header, token) => {
      try {
        return await remote(header, token);
      } finally {
        const { jwks } = downloaded;
        if (jwks && jwks !== last?.keys) last = { keys: jwks, at: clock.monotonic() };
      }
    };
  };
  const ownLogoutKeys = keySet();
  // Logout tokens are rare, so their keys are nearly always too old for jose. A sign-in needs the provider anyway.
  const logoutKeys: JWTVerifyGetKey = async (header, token) => {
    try {
      return await ownLogoutKeys(header, token);
    } catch (error) {
      if (!last || clock.monotonic() - last.at > keysMs || !isDownloadFailure(error)) throw error;
      return createLocalJWKSet(last.keys)(header, token);
    }
  };
  return { server, keys: keySet(), logoutKeys };
};

/** jose throws an error of no other code for a key set with a status other than 200 or that is not JSON. */
export const isDownloadFailure = (error: unknown): boolean =>
  error instanceof ProviderError ||
  error instanceof errors.JWKSTimeout ||
  (error as Partial<errors.JOSEError>).code === 'ERR_JOSE_GENERIC';
