import { porticoClient, type PorticoClientSettings } from '@portico/client';
import { fromThrowable } from 'neverthrow';
import { usageError } from '../output/cli-error.ts';
import type { Settings } from '../settings/schema.ts';
import { connectedFetch } from './connected-fetch.ts';
import { proxyOf } from './connections.ts';

/** The client of a running Portico (`--server`), with the proxy of the settings. */
export const serverClient = fromThrowable(
  ({ proxy }: Pick<Settings, 'proxy'>, settings: PorticoClientSettings) =>
    porticoClient({ fetch: connectedFetch(proxyOf(proxy)), ...settings }),
  () => usageError('--server must be the http or https URL of a running Portico, without user, query and fragment.'),
);
