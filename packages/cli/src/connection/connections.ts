import type { ConnectionSettings } from '@portico/adapters-http';
import type { Settings } from '../settings/schema.ts';
import { configuredService } from '../settings/configured-services.ts';
import { proxySelector } from '../settings/sections/connection-schema.ts';
import { type OnTlsReload, tlsFiles } from '../settings/tls-files.ts';

/** How each outgoing connection of these settings is made: the same for a server, the commands and `portico doctor`. */
export interface Connections {
  /** To the identity provider, the legs and the registry. */
  readonly common: ConnectionSettings;
  /** To a service, with its `tls`. */
  readonly service: (name: string) => ConnectionSettings;
}

export const connectionsOf = (
  { downstreams, proxy }: Pick<Settings, 'downstreams' | 'proxy'>,
  onReload?: OnTlsReload,
): Connections => {
  const common = proxyOf(proxy);
  return {
    common,
    service: (service) => {
      const { tls } = configuredService({ downstreams }, service) ?? {};
      if (!tls) return common;
      const setting = `downstreams.${service}.tls`;
      return { ...common, tls: tlsFiles(setting, tls, { ...(onReload && { onReload }) }) };
    },
  };
};

/** The proxy alone, for what needs no service. */
export const proxyOf = (proxy: Settings['proxy']): Pick<ConnectionSettings, 'proxy'> => {
  const selector = proxySelector(proxy, process.env);
  return selector ? { proxy: selector } : {};
};
