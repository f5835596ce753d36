import type { ServiceName } from '@portico/core';
import { createContext, use } from 'react';
import type { Brand } from './brand/brand.ts';

/** Settings that the pages need before sign-in. Portico serves them; another host of the pages provides a file. */
export interface PageConfig {
  /** Whether Portico keeps the session in a cookie (contract, section 11). Default: the pages hold the member's tokens. */
  readonly session?: boolean;
  /** Default: name and colours of the example. */
  readonly brand?: Brand;
  /** With tokens in the pages: the identity provider, and the pages' client there. */
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

export const ConfigContext = createContext<PageConfig | undefined>(undefined);

export const useConfig = (): PageConfig => {
  const config = use(ConfigContext);
  if (!config) throw new Error('useConfig must be used inside a ConfigContext.');
  return config;
};

export const loadConfig = async (): Promise<PageConfig> => {
  const response = await fetch('/config.json');
  if (!response.ok) throw new Error(`GET /config.json returned ${response.status}`);
  return (await response.json()) as PageConfig;
};
