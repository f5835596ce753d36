import { type Failure, upstream, upstreamStatus } from '@portico/core';
import { errAsync, okAsync, type ResultAsync } from 'neverthrow';
import type { HttpClient } from '../http/client.ts';
import { is2xx } from '../http/response-readers.ts';
import { fieldOf } from '../json/field-of.ts';

/** Path of the discovery document, below the issuer (OpenID Connect Discovery 1.0, section 4). */
export const discoveryPath = '/.well-known/openid-configuration';

/** The URL of the discovery document. Slashes at the end of the issuer are removed first (section 4.1). */
export const discoveryUrl = (issuer: string): string => withoutSlash(issuer) + discoveryPath;

const withoutSlash = (issuer: string): string => issuer.replace(/\/+$/, '');

/**
 * Whether a value in the discovery document of this issuer is a URL to use: http or https, and only https if the issuer is
 * https. Plain http would expose passwords and keys. The case of a scheme does not matter (RFC 3986, section 3.1).
 */
export const isEndpointOf = (issuer: string, value: unknown): value is string =>
  typeof value === 'string' && (/^https:/i.test(issuer) ? /^https:\/\//i : /^https?:\/\//i).test(value);

/** Reads one endpoint from the discovery document, which must contain exactly this issuer. */
export const discover = (
  issuer: string,
  name: 'jwks_uri' | 'token_endpoint',
  client: HttpClient,
): ResultAsync<string, Failure> =>
  getJson(client, discoveryUrl(issuer)).andThen((document) => {
    const url = fieldOf(document, name);
    return fieldOf(document, 'issuer') === issuer && isEndpointOf(issuer, url)
      ? okAsync(url)
      : errAsync(upstream('identity', 'malformed'));
  });

/** RFC 8414, section 3.2, and RFC 7517, section 8.5.2. Sent in `Accept`, but not required: some providers use others. */
const documentTypes = ['application/json', 'application/jwk-set+json'];

/** Reads a document of the identity provider. */
export const getJson = (client: HttpClient, url: string): ResultAsync<unknown, Failure> =>
  client
    .text({ method: 'GET', url, headers: { accept: documentTypes.join(', ') } }, (status) =>
      is2xx(status) ? undefined : upstreamStatus('identity', status),
    )
    .map(({ value }) => value);

/** The URL of the token endpoint, unless it must be discovered. A realm has a fixed one (contract, section 4). */
export const knownTokenUrl = ({
  issuer,
  tokenUrl,
}: {
  readonly issuer: string;
  readonly tokenUrl?: string | undefined;
}): string | undefined =>
  tokenUrl ??
  (/\/realms\/[^/?#]+\/?$/.test(issuer) ? `${withoutSlash(issuer)}/protocol/openid-connect/token` : undefined);

/** The deadline of one request. Discovery adds a request, so each of the two gets half. */
export const requestTimeoutMs = (timeoutMs: number, knownUrl: string | undefined): number =>
  knownUrl === undefined ? timeoutMs / 2 : timeoutMs;
