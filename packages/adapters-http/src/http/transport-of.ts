import type { ConnectionSettings } from '../connection/connection.ts';
import { kyTransport } from './ky-transport.ts';
import type { Transport } from './transport.ts';
import { pooledTransport } from './undici-transport.ts';

/** What a transport is made of: a `fetch`, or how to connect. */
export interface TransportSettings extends ConnectionSettings {
  /** Sends the requests, without `tls` and `proxy`. Default: a connection pool per service, HTTP/1.1 only. */
  readonly fetch?: typeof fetch;
}

/** Creates the transport of an adapter: over the given `fetch`, otherwise over connection pools. */
export const transportOf = ({
  fetch,
  tls,
  proxy,
  timeoutMs,
}: TransportSettings & { readonly timeoutMs?: number }): Transport =>
  fetch
    ? kyTransport(fetch)
    : pooledTransport({ ...(tls && { tls }), ...(proxy && { proxy }), ...(timeoutMs !== undefined && { timeoutMs }) });
