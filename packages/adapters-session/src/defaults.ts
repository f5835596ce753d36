/** Defaults of browser sessions (contract, section 11), in seconds and milliseconds. */
export const sessionDefaults = {
  idleSeconds: 1800,
  absoluteSeconds: 43_200,
  scope: 'openid profile',
  paths: ['/me'],
  timeoutMs: 5000,
} as const;

/** The hosts whose URLs may be http (contract, section 11), as `URL` writes them. */
export const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
