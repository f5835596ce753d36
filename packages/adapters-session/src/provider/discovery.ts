import type { Clock } from '@portico/core';
import { createRemoteJWKSet, customFetch as jwksFetch, type JWTVerifyGetKey } from 'jose';
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

const maxAgeMs = 3_600_000;

/** How long the last good document is used after a failure. */
const retryMs = 60_000;

/**
 * Returns the function that finds the provider (OpenID Connect Discovery 1.0, section 4). The document is fetched at first
 * use, by one request at a time, and again every hour; the last good one stays in use while that fails. Rejects with a
 * `ProviderError` if there is none.
 */
export const discovery = (
  issuer: string,
  { fetch, clock }: { readonly fetch: ProviderFetch; readonly clock: Clock },
): (() => Promise<Provider>) => {
  const url = secureUrl(issuer, 'the issuer');
  let known: { readonly provider: Provider; readonly fetchedAt: number } | undefined;
  let pending: Promise<Provider> | undefined;

  const load = async (): Promise<Provider> => {
    try {
      const options = { [customFetch]: fetch, [allowInsecureRequests]: url.protocol === 'http:' };
      const server = await processDiscoveryResponse(url, await discoveryRequest(url, options));
      const provider = known && isSame(known.provider.server, server) ? known.provider : providerOf(server, fetch);
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

const providerOf = (server: AuthorizationServer, fetch: ProviderFetch): Provider => {
  const url = secureUrl(server.jwks_uri ?? '', 'jwks_uri of the identity provider');
  const keySet = () => createRemoteJWKSet(url, { [jwksFetch]: (target, options) => fetch(target, options) });
  return { server, keys: keySet(), logoutKeys: keySet() };
};
