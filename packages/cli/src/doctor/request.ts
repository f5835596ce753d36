import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { err, ok, type Result } from 'neverthrow';
import { failed, type Finding, ok as passed } from './check.ts';

export interface Response {
  readonly status: number;
  /** The server's time in milliseconds since the epoch: `Date`, and `Age` when a cache replied. NaN without `Date`. */
  readonly dateMs: number;
  /** At most `maxBytes` of the body. */
  readonly text: string;
}

const maxBytes = 1_048_576;

/**
 * One request without credentials and without redirects. `setting` is the name of the setting that has the URL; a
 * failure names it and not the URL. By `node:http`, because `fetch` refuses some ports that the adapters use.
 */
export const request = async (
  method: 'GET' | 'HEAD',
  url: string,
  setting: string,
  signal: AbortSignal,
): Promise<Result<Response, Finding>> => {
  try {
    const { protocol } = new URL(url);
    const sent = (protocol === 'https:' ? https : http).request(url, { method, signal, agent: false }).end();
    // An abort after the head of the response is an error event that nothing else handles.
    sent.on('error', () => {});
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const { statusCode = 0, headers } = response;
    const dateMs = Date.parse(headers.date ?? '') + 1000 * Number(headers.age ?? 0);
    return ok({ status: statusCode, dateMs, text: await bodyOf(response) });
  } catch (error) {
    return err(unreached(codeOf(error), setting));
  }
};

/** Whether a server responds to a HEAD request of its base URL; any HTTP response counts. */
export const signOfLife = async (url: string, setting: string, signal: AbortSignal): Promise<Finding> =>
  (await request('HEAD', url, setting, signal)).match(
    ({ status }) => passed(`HTTP ${status}`),
    (finding) => finding,
  );

const bodyOf = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(chunks).toString();
};

const codeOf = (error: unknown): string => {
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
    'Check whether the server expects https, and which port, in {setting}.',
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
    'Set NODE_EXTRA_CA_CERTS to the file of the CA that signed the certificate.',
  ],
  [/^(?:ERR_SSL|ERR_TLS|EPROTO)/, 'TLS: the handshake failed', 'Check whether {setting} should begin with http://.'],
];
