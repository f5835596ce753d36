/** Path of the discovery document, below the issuer (OpenID Connect Discovery 1.0, section 4). */
export const discoveryPath = '/.well-known/openid-configuration';

/** The URL of the discovery document. Slashes at the end of the issuer are removed first (section 4.1). */
export const discoveryUrl = (issuer: string): string => `${issuer.replace(/\/+$/, '')}${discoveryPath}`;

/**
 * Whether a value in the discovery document is a URL to use: http or https, and only https if the issuer is https. Plain http
 * would expose tokens and secrets. The case of a scheme does not matter (RFC 3986, section 3.1).
 */
export const isEndpointOf = (issuer: string, value: unknown): value is string =>
  typeof value === 'string' && (/^https:/i.test(issuer) ? /^https:\/\//i : /^https?:\/\//i).test(value);
