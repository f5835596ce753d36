import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, request as sendRequest } from 'node:http';
import { connect } from 'node:net';
import { startEnvironment, type Environment } from '@portico/demo/environment';
import { listening } from '@portico/demo/ports';

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

/** A server on loopback that records requests, and responds with the text for a path. */
export const startRecorder = async (responseFor: (path: string) => string) => {
  const requests: Recorded[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { method = '', url: path = '', headers } = request;
    requests.push({ method, path, headers, body, at: performance.now() });
    response.writeHead(200, { 'content-type': 'application/json' }).end(responseFor(path));
  });
  return { ...(await listening(server)), requests };
};

export type Recorder = Awaited<ReturnType<typeof startRecorder>>;

/** Signs with each algorithm (RFC 7518, section 3; RFC 8037), using only node:crypto. */
const signatureOf: Readonly<Record<string, (input: string, key: KeyObject) => Buffer>> = {
  RS256: (input, key) => sign('sha256', Buffer.from(input), key),
  RS384: (input, key) => sign('sha384', Buffer.from(input), key),
  RS512: (input, key) => sign('sha512', Buffer.from(input), key),
  PS256: (input, key) => sign('sha256', Buffer.from(input), pss(key)),
  PS384: (input, key) => sign('sha384', Buffer.from(input), pss(key)),
  PS512: (input, key) => sign('sha512', Buffer.from(input), pss(key)),
  ES256: (input, key) => sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }),
  ES384: (input, key) => sign('sha384', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }),
  ES512: (input, key) => sign('sha512', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }),
  EdDSA: (input, key) => sign(null, Buffer.from(input), key),
};
const pss = (key: KeyObject) => ({
  key,
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
});

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
export const jwkOf = (key: KeyObject) => key.export({ format: 'jwk' });

/** The issuer's keys by `kid`. They specify no algorithm: only the settings limit it. */
export const issuerKeys = {
  rsa: rsa(),
  ec: ec('P-256'),
  'ec-384': ec('P-384'),
  'ec-521': ec('P-521'),
  ed: generateKeyPairSync('ed25519'),
} as const;

export type Kid = keyof typeof issuerKeys;

export const encode = (part: unknown): string =>
  Buffer.from(typeof part === 'string' || Buffer.isBuffer(part) ? part : JSON.stringify(part)).toString('base64url');

/** Signs any payload and header, with the issuer's key by default. */
export const signed = (
  payload: unknown,
  header: object = {},
  kid: Kid = 'rsa',
  alg = 'RS256',
  key: KeyObject = issuerKeys[kid].privateKey,
): string => {
  const input = `${encode({ alg, kid, ...header })}.${encode(payload)}`;
  return `${input}.${signatureOf[alg]!(input, key).toString('base64url')}`;
};

/**
 * `portico serve` with an issuer whose keys the tests have, and one server for everything else, which responds with an
 * empty object: the six services, and a search leg, which fails because that is not an acknowledgement.
 */
export interface HostileEnvironment extends Environment {
  readonly issuer: Recorder;
  readonly downstream: Recorder;
}

/** Merges these settings with its own, section by section. */
export const startHostileEnvironment = async (
  { identity, ...settings }: Readonly<Record<string, object>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<HostileEnvironment> => {
  const keys = Object.entries(issuerKeys).map(([kid, { publicKey }]) => ({ ...jwkOf(publicKey), kid, use: 'sig' }));
  const issuer = await startRecorder(() => JSON.stringify({ keys }));
  const downstream = await startRecorder(() => '{}');
  const end = (): void => {
    issuer.close();
    downstream.close();
  };
  try {
    const environment = await startEnvironment({
      env,
      settings: (sandbox) => ({
        identity: { issuer: issuer.url, jwksUrl: `${issuer.url}/keys`, ...identity },
        search: { legs: { moa: { ...sandbox.search.legs('http://127.0.0.1').moa, gatewayUrl: downstream.url } } },
        downstreams: Object.fromEntries(Object.keys(sandbox.services).map((name) => [name, { url: downstream.url }])),
        ...settings,
      }),
    });
    return {
      ...environment,
      issuer,
      downstream,
      close: async () => {
        await environment.close();
        end();
      },
    };
  } catch (error) {
    end();
    throw error;
  }
};

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Request {
  readonly method?: string;
  readonly path?: string;
  /** A list is sent as several header lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer | readonly (string | Buffer)[];
  /** Sent after a chunked body. */
  readonly trailers?: Readonly<Record<string, string>>;
}

/** Sends a request without normalizing it; a list as body is sent in chunks. */
export const send = (
  { url }: { readonly url: string },
  { method = 'GET', path = '/', headers = {}, body = '', trailers = {} }: Request,
): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const { hostname: host, port } = new URL(url);
    const rawHeaders = headers as Record<string, string | string[]>;
    const outgoing = sendRequest({ host, port, method, path, headers: rawHeaders }, async (response) => {
      try {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      } catch (error) {
        reject(error);
      }
    });
    outgoing.on('error', reject);
    if (typeof body === 'string' || Buffer.isBuffer(body)) return outgoing.end(body);
    for (const chunk of body) outgoing.write(chunk);
    outgoing.addTrailers(trailers);
    return outgoing.end();
  });

/** Sends raw bytes on a new connection; resolves with everything received until it is closed. */
export const sendRaw = async ({ url }: { readonly url: string }, ...bytes: readonly (string | Buffer)[]) => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => {}); // the server may close the connection before it has received everything
  const closed = new Promise((resolve) => {
    socket.once('close', resolve);
  });
  for (const part of bytes) socket.write(part);
  socket.end();
  await closed;
  return Buffer.concat(chunks).toString();
};
