import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { becknVerifier } from '@portico/adapters-http';

export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Handle = (bytes: Buffer<ArrayBuffer>, headers: IncomingHttpHeaders) => Reply | Promise<Reply>;

/** Serves routes such as `'POST /search'` with the raw bytes of the body, which signatures are computed on. */
export const routesListener =
  (routes: Readonly<Record<string, Handle>>): RequestListener =>
  (request, response) => {
    const serve = async () => {
      const bytes = await buffer(request);
      const route = `${request.method ?? ''} ${(request.url ?? '').replace(/\?.*$/, '')}`;
      const handle = Object.hasOwn(routes, route) ? routes[route] : undefined;
      const { status, body, headers } = (await handle?.(bytes, request.headers)) ?? notFound;
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    };
    serve().catch(() => response.destroy()); // the client disconnected, or the server is closing
  };

export const json = (value: unknown, status = 200): Reply => ({ status, body: JSON.stringify(value) });

/** A NACK in the format of the gateways and adapters of a Beckn network. */
export const nack = (status: number, code: string, message: string, headers?: Reply['headers']): Reply => ({
  ...json({ message: { ack: { status: 'NACK' } }, error: { code, message } }, status),
  ...(headers && { headers }),
});

/** Refuses a request unless this subscriber has signed its body. `headers` are those of a 401. */
export const refusalOf = async (
  verifier: ReturnType<typeof becknVerifier>,
  authorization: string | undefined,
  bytes: Buffer,
  subscriberId: string | undefined,
  headers?: Reply['headers'],
): Promise<Reply | undefined> => {
  const signer = await verifier.verify(authorization, bytes);
  if (signer.isErr() && signer.error.kind !== 'unauthenticated')
    return nack(503, 'registry-unavailable', 'the signature cannot be verified now');
  const isSigned = signer.isOk() && signer.value.subscriberId === subscriberId;
  return isSigned ? undefined : nack(401, 'signature', "not signed by the envelope's subscriber", headers);
};

const notFound = json({ error: 'no such route' }, 404);

/** Posts these bytes and returns the response; 502 if the peer cannot be reached. */
export const relay = async (
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> => {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/json', ...headers },
      redirect: 'manual',
    });
    const challenge = response.headers.get('www-authenticate');
    return {
      status: response.status,
      body: await response.text(),
      headers: {
        'content-type': response.headers.get('content-type') ?? 'application/json',
        ...(challenge !== null && { 'www-authenticate': challenge }),
      },
    };
  } catch {
    return nack(502, 'peer-unreachable', 'the next hop did not respond');
  }
};
