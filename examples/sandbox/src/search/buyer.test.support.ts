import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startFaultyServer } from '../faults.ts';
import type { LegSettings } from '../search.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

export interface OnSearch {
  readonly context: Readonly<Record<string, string>>;
  readonly message: {
    readonly catalog: Readonly<Record<string, readonly { readonly id: string; readonly items: readonly Item[] }[]>>;
  };
}

interface Item {
  readonly id: string;
  readonly descriptor: { readonly name: string };
}

export const parsed = ({ bytes }: Received) => JSON.parse(bytes.toString()) as OnSearch;

/** A buyer-side app that acknowledges and records every callback. */
export const startBuyer = async () => {
  const received: Received[] = [];
  const server = await startFaultyServer(async (request, response) => {
    received.push({ path: request.url ?? '', headers: request.headers, bytes: await buffer(request) });
    response.end('{"message":{"ack":{"status":"ACK"}}}');
  });
  return { url: server.url, received, close: server.close };
};

export const envelopeFor = (leg: LegSettings, name: string) => ({
  context: {
    domain: leg.domain,
    action: 'search',
    version: leg.version,
    bap_id: leg.bapId,
    bap_uri: leg.bapUri,
    transaction_id: randomUUID() as string,
    message_id: randomUUID() as string,
    timestamp: new Date().toISOString(),
    ttl: leg.ttl,
    city: leg.city,
  },
  message: { intent: { category: { descriptor: { code: leg.categoryCode } }, item: { descriptor: { name } } } },
});

export const post = async (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(url, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
  const received: unknown = await response.json();
  return { status: response.status, headers: response.headers, body: received };
};
