import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

export interface RequestOptions {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable | undefined;
  readonly signal?: AbortSignal;
  /** Close the connection after the first bytes of a 200. */
  readonly cancelEarly?: boolean;
  /** The downstream service that it needs, and that problem details may name. */
  readonly service?: string;
  /** Describes a successful response; its status by default. */
  readonly describe?: (response: Response) => string;
}

interface Response {
  readonly status: number;
  readonly type: string;
  /** One character per byte. */
  readonly text: string;
}

/** Resolves with the response, or with the reason why there is none. */
const receive = async (client: Dispatcher, route: string, options: RequestOptions): Promise<Response | string> => {
  const { token, body = null, signal = null, cancelEarly = false } = options;
  const [method, path] = route.split(' ') as [Dispatcher.HttpMethod, string];
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== null && { 'content-type': 'application/json' }),
    ...options.headers,
  };
  try {
    const response = await client.request({ method, path, headers, body, signal });
    const { statusCode: status } = response;
    if (cancelEarly && status === 200) {
      // Leaving the loop destroys the stream and so the connection.
      for await (const _ of response.body) break;
      return 'cancelled';
    }
    const text = Buffer.from(await response.body.arrayBuffer()).toString('latin1');
    return { status, type: String(response.headers['content-type']), text };
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (signal?.aborted) return 'cancelled';
    if (code === 'ECONNREFUSED') return 'connection refused';
    return code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT' ? 'no response' : 'connection closed';
  }
};

const privateData = /PTY-|Bearer|eyJ|127\.0\.0\.1|internal-upstream-detail/;

/** The status, code and reason of problem details (RFC 9457), and everything that is wrong with them. */
const describeProblem = ({ status, text }: Response, service?: string): string => {
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

/** Sends a request such as `GET /livez`, and describes its outcome. */
export const send = async (client: Dispatcher, route: string, options: RequestOptions): Promise<string> => {
  const response = await receive(client, route, options);
  if (typeof response === 'string') return response;
  if (response.type === 'application/problem+json') return describeProblem(response, options.service);
  const { describe } = options;
  return describe && response.status < 300 ? describe(response) : String(response.status);
};
