import type { IncomingHttpHeaders, RequestListener } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Handle = (bytes: Buffer<ArrayBuffer>, headers: IncomingHttpHeaders) => Answer | Promise<Answer>;

/** Serves `'POST /search'`-like keys with the raw bytes of the body, which is what a signature is about. */
export const answering =
  (routes: Readonly<Record<string, Handle>>): RequestListener =>
  (request, response) => {
    const serve = async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const route = `${request.method ?? ''} ${(request.url ?? '').replace(/\?.*$/, '')}`;
      const handle = Object.hasOwn(routes, route) ? routes[route] : undefined;
      const { status, body, headers } = (await handle?.(Buffer.concat(chunks), request.headers)) ?? notFound;
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    };
    serve().catch(() => response.destroy()); // the caller left, or we are closing
  };

export const json = (value: unknown, status = 200): Answer => ({ status, body: JSON.stringify(value) });

/** A refusal in the shape that gateways and adapters of a Beckn network share. */
export const nack = (status: number, code: string, message: string, headers?: Answer['headers']): Answer => ({
  ...json({ message: { ack: { status: 'NACK' } }, error: { code, message } }, status),
  ...(headers && { headers }),
});

const notFound = json({ error: 'nothing is served here' }, 404);

/** Posts these very bytes and hands on what came back; a peer that cannot be reached is a 502. */
export const relay = async (
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> => {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/json', ...headers },
      redirect: 'manual',
    });
    const challenge = answer.headers.get('www-authenticate');
    return {
      status: answer.status,
      body: await answer.text(),
      headers: {
        'content-type': answer.headers.get('content-type') ?? 'application/json',
        ...(challenge !== null && { 'www-authenticate': challenge }),
      },
    };
  } catch {
    return nack(502, 'peer-unreachable', 'the next one in the chain did not answer');
  }
};
