import { type Dispatcher, Pool } from 'undici';

/** Longer than anything may take: whoever waits so long was forgotten. */
const forgottenMs = 30_000;

/** As many connections as it takes, so that a request waits for Portico and never for another request. */
export const openClient = (url: string): Pool =>
  new Pool(url, { headersTimeout: forgottenMs, bodyTimeout: forgottenMs });

/** By a connection of its own, of which nothing is left. */
export const askOnce = async (url: string, path: string): Promise<Answer | string> => {
  const client = openClient(url);
  const answer = await ask(client, { path });
  await client.destroy();
  return answer;
};

export interface Question {
  readonly method?: Dispatcher.HttpMethod;
  readonly path: string;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly bytes: number;
}

export const send = (
  client: Dispatcher,
  { method = 'GET', path, token, headers, body }: Question,
  signal?: AbortSignal,
): Promise<Dispatcher.ResponseData> =>
  client.request({
    method,
    path,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });

/** The whole answer; or, in a word, how there was none. */
export const ask = async (client: Dispatcher, question: Question, signal?: AbortSignal): Promise<Answer | string> => {
  try {
    const { statusCode: status, headers, body } = await send(client, question, signal);
    const bytes = Buffer.from(await body.arrayBuffer());
    return { status, type: String(headers['content-type']), text: bytes.toString('latin1'), bytes: bytes.length };
  } catch (error) {
    return signal?.aborted ? 'left midway' : lossOf(error);
  }
};

export const lossOf = (error: unknown): string => {
  const { code } = error as { readonly code?: unknown };
  if (code === 'ECONNREFUSED') return 'refused';
  return code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT' ? 'forgotten' : 'cut';
};

const privateText = /PTY-|Bearer|eyJ|127\.0\.0\.1|internal-upstream-detail/;

/** An answer in words: its status, and of a problem (RFC 9457) its code, its reason and anything that is wrong with it. */
export const inWords = (answer: Answer | string, service?: string): string => {
  if (typeof answer === 'string') return answer;
  const { status, type, text } = answer;
  if (type !== 'application/problem+json') return String(status);
  const problem = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return [
    status,
    problem['code'],
    problem['reason'],
    problem['service'] !== undefined && problem['service'] !== service && `blames ${problem['service'] as string}`,
    privateText.test(text) && 'tells what is private',
    (problem['status'] !== status || typeof problem['requestId'] !== 'string') && 'is no good problem',
  ]
    .filter((word) => word !== undefined && word !== false)
    .join(' ');
};
