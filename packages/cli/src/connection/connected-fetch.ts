import { ReadableStream } from 'node:stream/web';
import { type ConnectionSettings, type Transport, transportOf } from '@portico/adapters-http';
import { abortWith } from './send.ts';

/** A `fetch` over connections as the adapters make them: with the proxy, without redirects, cookies and decompression. */
export const connectedFetch = (
  connection: ConnectionSettings,
): ((input: string | URL | Request, init?: RequestInit) => Promise<Response>) => {
  const transport = transportOf(connection);
  return async (input, init) => {
    const request = new Request(input, init);
    const text = await request.text();
    const exchange = transport({
      method: request.method as Parameters<Transport>[0]['method'],
      url: request.url,
      headers: Object.fromEntries(request.headers),
      ...(text !== '' && { body: text }),
    });
    const release = abortWith(exchange, init?.signal ?? request.signal);
    const { status, names, header } = await exchange.head.catch((error: unknown) => {
      release();
      throw error;
    });
    const headers = new Headers(names().map((name) => [name, header(name) ?? '']));
    const body = exchange.stream({ wait() {}, stopWaiting() {}, done: release, streamError });
    if (!bodiless.has(status)) return new Response(ReadableStream.from(body), { status, headers });
    body.resume();
    return new Response(null, { status, headers });
  };
};

const streamError = (): Error => new TypeError('terminated');

/** These responses have no body (RFC 9110, section 15), and `Response` refuses one. */
const bodiless = new Set([204, 205, 304]);
