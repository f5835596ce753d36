import { type Dispatcher, Pool } from 'undici';

/** Longer than any response may take. */
const noResponseMs = 30_000;

/** A client with as many connections as it needs, so that no request waits for another. */
export const openClient = (url: string): Pool =>
  new Pool(url, { headersTimeout: noResponseMs, bodyTimeout: noResponseMs });

export interface RequestOptions {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal;
  /** Close the connection after the first bytes of a 200. */
  readonly cancelAtFirstBytes?: boolean;
}

export interface Response {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly bytes: number;
}

/** Sends a request such as `GET /livez`. Resolves with the response, or with the reason why there is none. */
export const send = async (
  client: Dispatcher,
  route: string,
  { token, headers: more, body, signal, cancelAtFirstBytes = false }: RequestOptions = {},
): Promise<Response | string> => {
  const [method, path = ''] = route.split(' ');
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...more,
  };
  try {
    const response = await client.request({
      method: method as Dispatcher.HttpMethod,
      path,
      headers,
      body: body ?? null,
      signal: signal ?? null,
    });
    const { statusCode: status } = response;
    if (cancelAtFirstBytes && status === 200) {
      // Leaving the loop destroys the stream and so the connection.
      for await (const _ of response.body) break;
      return 'cancelled';
    }
    const bytes = Buffer.from(await response.body.arrayBuffer());
    const type = String(response.headers['content-type']);
    return { status, type, text: bytes.toString('latin1'), bytes: bytes.length };
  } catch (error) {
    return signal?.aborted ? 'cancelled' : connectionError(error);
  }
};

const connectionError = (error: unknown): string => {
  const { code } = error as { readonly code?: unknown };
  if (code === 'ECONNREFUSED') return 'connection refused';
  return code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT' ? 'no response' : 'connection closed';
};

const privateData = /PTY-|Bearer|eyJ|127\.0\.0\.1|internal-upstream-detail/;

/** The status and, for problem details (RFC 9457), the code, the reason, and everything that is wrong with them. */
export const describe = (response: Response | string, service?: string): string => {
  if (typeof response === 'string') return response;
  const { status, type, text } = response;
  if (type !== 'application/problem+json') return String(status);
  const problem = JSON.parse(text) as Readonly<Record<string, string | number | undefined>>;
  return [
    status,
    problem['code'],
    problem['reason'],
    problem['service'] !== undefined && problem['service'] !== service && `blames ${problem['service']}`,
    privateData.test(text) && 'leaks private data',
    (problem['status'] !== status || typeof problem['requestId'] !== 'string') && 'is not a valid problem',
  ]
    .filter((part) => part !== undefined && part !== false)
    .join(' ');
};
