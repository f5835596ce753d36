import type { ServiceName } from '@portico/core';

/** Settings that the pages need before sign-in. Portico serves them; another host of the pages provides a file. */
export interface PageConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Scopes to request at sign-in. Default: `openid profile email`. */
  readonly scope?: string;
  /** More query parameters of the authorization request, such as `audience`. */
  readonly authorizeParameters?: Readonly<Record<string, string>>;
  /** The URL of Portico, if it is not the host of the pages. */
  readonly apiUrl?: string;
  /** Personas that may search; `null`: any. */
  readonly personas: readonly string[] | null;
  /** The services behind the member API; the cards of other services are not shown. Default: all. */
  readonly services?: readonly ServiceName[];
}

export const loadConfig = async (): Promise<PageConfig> => {
  const response = await fetch('/config.json');
  if (!response.ok) throw new Error(`GET /config.json returned ${response.status}`);
  return (await response.json()) as PageConfig;
};
