/** Defaults of browser sessions (contract, section 11), in seconds and milliseconds. */
export const sessionDefaults = {
  idleSeconds: 1800,
  absoluteSeconds: 43_200,
  scope: 'openid profile',
  paths: ['/me'],
  timeoutMs: 5000,
  clockToleranceSeconds: 5,
} as const;

/** As `URL` writes them. */
const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

/** What the URLs of sessions must be (contract, section 11), for error messages. */
export const secureUrlRule = `must be an https URL, or an http URL whose host is one of ${loopbackHosts.join(', ')}`;

/** Whether this is a URL of `secureUrlRule`: with `http`, cookies and tokens are safe from the network only on loopback. */
export const isSecureUrl = (url: URL | null): url is URL =>
  url?.protocol === 'https:' || (url?.protocol === 'http:' && loopbackHosts.includes(url.hostname));

/** Parameters of an authorization request with PKCE that no setting can change (RFC 6749, RFC 7636, OpenID Connect). */
export const protocolParameters: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'redirect_uri',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
]);

/** `max_age`, in seconds (OpenID Connect Core 1.0, section 3.1.2.1). */
export const maxAgePattern = /^\d{1,9}$/;
