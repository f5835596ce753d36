import { type ConnectionSettings, type Transport, transportOf } from '@portico/adapters-http';
import { send } from './send.ts';

/** The headers of a response that OAuth clients read. */
const kept = ['content-type', 'www-authenticate', 'cache-control', 'age', 'date', 'retry-after'];

/**
 * A `fetch` over connections as the adapters make them: with the proxy, without redirects and cookies. It rejects a
 * response with more than 1 MiB.
 */
export const connectedFetch = (
  connection: ConnectionSettings,
): ((input: string | URL | Request, init?: RequestInit) => Promise<Response>) => {
  const transport = transportOf(connection);
  return async (input, init) => {
    const request = new Request(input, init);
    const text = await request.text();
    const sent = {
      method: request.method as Parameters<Transport>[0]['method'],
      url: request.url,
      headers: Object.fromEntries(request.headers),
      ...(text !== '' && { body: text }),
    };
    const { status, header, body } = await send(transport, sent, init?.signal ?? request.signal);
    if (!body) throw new TypeError('The response is too large.');
    const headers = new Headers();
    for (const name of kept) {
      const value = header(name);
      if (value !== undefined) headers.set(name, value);
    }
    return new Response(body.length === 0 ? null : new Uint8Array(body), { status, headers });
  };
};
