import { type ConnectionSettings, transportOf } from '@portico/adapters-http';
import { err, ok, type Result } from 'neverthrow';
import { send } from '../connection/send.ts';
import { failed, type Finding, ok as passed } from './check.ts';

export interface Response {
  readonly status: number;
  /** The server's time in milliseconds since the epoch: `Date`, and `Age` when a cache replied. NaN without `Date`. */
  readonly dateMs: number;
  /** Empty when the body has more than 1 MiB. */
  readonly text: string;
}

/**
 * One request without credentials and without redirects, over a connection as the adapters make it. `setting` is the name
 * of the setting that has the URL; a failure names it and not the URL.
 */
export const request = async (
  method: 'GET' | 'HEAD',
  url: string,
  setting: string,
  signal: AbortSignal,
  connection: ConnectionSettings,
): Promise<Result<Response, Finding>> => {
  try {
    const { href, hash } = new URL(url);
    const sent = { method, url: href.slice(0, href.length - hash.length) };
    const { status, header, body } = await send(transportOf(connection), sent, signal);
    const dateMs = Date.parse(header('date') ?? '') + 1000 * Number(header('age') ?? 0);
    return ok({ status, dateMs, text: body?.toString() ?? '' });
  } catch (error) {
    return err(unreached(causeCode(error), setting));
  }
};

/** Tests whether a server responds to a HEAD request for its base URL; any HTTP status counts. */
export const reachable = async (
  url: string,
  setting: string,
  signal: AbortSignal,
  connection: ConnectionSettings,
): Promise<Finding> =>
  (await request('HEAD', url, setting, signal, connection)).match(
    ({ status }) => passed(`HTTP ${status}`),
    (finding) => finding,
  );

const causeCode = (error: unknown): string => {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string') return at.code;
  return 'unknown error';
};

/** What a code of the system, of TLS or of the HTTP client means for an operator. */
export const unreached = (code: string, setting: string): Finding => {
  const [, detail, advice] = meanings.find(([codes]) => codes.test(code)) ?? [
    undefined,
    'the request failed',
    'Check {setting}.',
  ];
  return failed(`${detail} (${code})`, advice.replace('{setting}', setting));
};

const meanings: readonly (readonly [codes: RegExp, detail: string, advice: string])[] = [
  [/^(?:ENOTFOUND|EAI_)/, 'DNS: host name not found', 'Check the host name in {setting} and the DNS of this machine.'],
  [/^ECONNREFUSED$/, 'connection refused', 'Start the server, or check the port in {setting}.'],
  [
    /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    'connection closed without a response',
    'Check whether the server expects https, and which port, in {setting}, or whether it demands a client certificate.',
  ],
  [/^(?:EHOSTUNREACH|ENETUNREACH)$/, 'no route to the host', 'Check the network between this machine and {setting}.'],
  [
    /^(?:ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/,
    'no response in time',
    'Check the host and port in {setting}, and whether a firewall drops the connection.',
  ],
  [/^CERT_HAS_EXPIRED$/, 'TLS: the certificate has expired', 'Renew the certificate of the server in {setting}.'],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'TLS: the certificate is for another host name',
    'Use the host name of the certificate in {setting}, or another certificate.',
  ],
  [
    /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_)/,
    'TLS: the certificate is not trusted',
    'Set tls.caFile of the service, or NODE_EXTRA_CA_CERTS, to the file of the CA that signed the certificate.',
  ],
  [
    /^ERR_SSL_TLSV(?:1|13)_ALERT_(?:CERTIFICATE_REQUIRED|UNKNOWN_CA)|^ERR_SSL_SSLV3_ALERT_\w*CERTIFICATE/,
    "TLS: the server refused Portico's certificate",
    'Set tls.certFile and tls.keyFile of the service to a certificate that the server accepts.',
  ],
  [
    /^(?:UND_ERR_PRX|UND_ERR_ABORTED$)/,
    'the proxy refused the connection',
    'Check proxy, or HTTPS_PROXY and NO_PROXY.',
  ],
  [/^(?:ERR_SSL|ERR_TLS|EPROTO)/, 'TLS: the handshake failed', 'Check whether {setting} should begin with http://.'],
];
