import type { Transport } from '@portico/adapters-http';

type Exchange = ReturnType<Transport>;

/** Larger than any document of an identity provider. */
const maxBytes = 1_048_576;

/** A response; `body` is undefined when it has more than 1 MiB. */
export interface SmallResponse extends Awaited<Exchange['head']> {
  readonly body: Buffer | undefined;
}

/** Sends one request and reads its body. Rejects when the connection fails or the signal aborts. */
export const send = async (
  transport: Transport,
  request: Parameters<Transport>[0],
  signal: AbortSignal,
): Promise<SmallResponse> => {
  const exchange = transport(request);
  const release = abortWith(exchange, signal);
  try {
    const head = await exchange.head;
    const body = await exchange.bytes(maxBytes);
    if (!body) exchange.abort();
    return { ...head, body };
  } finally {
    release();
  }
};

/**
 * Aborts an exchange when the signal aborts, until the returned function is called: afterwards, the connection may carry
 * another request.
 */
export const abortWith = (exchange: Exchange, signal: AbortSignal): (() => void) => {
  const abort = () => exchange.abort();
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  return () => signal.removeEventListener('abort', abort);
};
