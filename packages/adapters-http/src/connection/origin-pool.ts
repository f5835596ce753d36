import { buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { tlsOptions, type TlsSettings } from './connection.ts';

/** Without `pipelining`: a read of the connection may then have bytes of several responses, and `free` would lose some. */
export interface PoolOptions extends Pick<Pool.Options, 'connections' | 'factory'> {
  /** The deadline of the requests. It ends the attempt to connect, which continues when its request is aborted. */
  readonly timeoutMs?: number;
}

/**
 * Connects to an origin, directly or through a proxy: by a tunnel (CONNECT, RFC 9110, section 9.3.6) to an https origin,
 * with the whole URL in the request line (RFC 9112, section 3.2.2) to an http one.
 */
export const originPool = (
  origin: string,
  tls: TlsSettings,
  proxy: string | undefined,
  { timeoutMs = 10_000, ...options }: PoolOptions,
): Dispatcher => {
  const limits = { allowH2: false, headersTimeout: 0, bodyTimeout: 0 };
  // undici's timers may fire up to half a second early; the deadline is exact.
  const connectTimeout = Math.min(Math.ceil(timeoutMs) + 1000, 2 ** 31 - 1);
  const secure = { ...tlsOptions(tls), allowH2: false };
  if (proxy === undefined)
    return new Pool(origin, {
      ...limits,
      connect: failingOnReset(buildConnector({ ...secure, timeout: connectTimeout })),
      ...options,
    });
  return new ProxyAgent({
    uri: proxy,
    connectTimeout,
    requestTls: secure,
    proxyTls: { ...tlsOptions({}), allowH2: false },
    clientFactory: (url, own) => new Pool(url, { ...own, headersTimeout: connectTimeout }),
    factory: (url, own: { readonly connect: buildConnector.connector }) =>
      new Pool(url, { ...own, ...limits, connect: failingOnReset(own.connect), ...options }),
  });
};

/**
 * Makes a reset connection an error. undici takes `ECONNRESET`, but no other code, for the end of a body that the close of
 * its connection ends, although such a body is incomplete (RFC 9112, section 8).
 */
const failingOnReset =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...[failure, socket]) => {
      if (failure) return callback(failure, null);
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET') error.code = 'UND_ERR_SOCKET';
      });
      callback(null, socket);
    });
