import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { becknRegistry, becknVerifier } from '@portico/adapters-http';
import { type FaultyServer, startFaultyServer } from '../faults.ts';
import { parseJson } from '../search/envelope.ts';
import { type Handle, json, nack, routesListener } from '../search/routes.ts';
import type { KeyRing, PublishedKey } from './key-ring.ts';

/** The path of the lookup in a registry of UHI. It differs from that of Beckn, so that one server has both. */
export const uhiLookupPath = '/uhi/lookup';

/**
 * Publishes the keys of its participants, with their validity, to the lookups of Beckn, ONDC (signed), UHI and DeDi. A
 * rotation is visible in the next lookup.
 */
export const startNetworkRegistry = async (
  participants: readonly KeyRing[],
  { port = 0 }: { readonly port?: number } = {},
): Promise<FaultyServer> => {
  const allKeys = (): readonly PublishedKey[] => participants.flatMap(({ published }) => published);
  const lookUp = (bytes: Buffer, keyIdField: string) => {
    const input = (parseJson(bytes) ?? {}) as Readonly<Record<string, unknown>>;
    return allKeys().filter(
      (key) => key.subscriberId === input['subscriber_id'] && key.uniqueKeyId === input[keyIdField],
    );
  };
  const isSigned = async (bytes: Buffer, { authorization }: IncomingHttpHeaders): Promise<boolean> => {
    const verifier = becknVerifier({ registry: becknRegistry({ url: server.url }) });
    return (await verifier.verify(authorization, bytes)).isOk();
  };
  const ondc: Handle = async (bytes, headers) =>
    (await isSigned(bytes, headers))
      ? json(lookUp(bytes, 'ukId').map((key) => ({ ...record(key), ukId: key.uniqueKeyId })))
      : nack(401, 'signature', 'the lookup is not signed by a participant');
  const posts = routesListener({
    'POST /lookup': (bytes) => json(lookUp(bytes, 'ukId').map((key) => ({ ...record(key), key_id: key.uniqueKeyId }))),
    'POST /v2.0/lookup': ondc,
    [`POST ${uhiLookupPath}`]: (bytes) =>
      json({ message: lookUp(bytes, 'pub_key_id').map((key) => ({ ...record(key), pub_key_id: key.uniqueKeyId })) }),
  });
  const listener: RequestListener = (request, response) => {
    const [, subscriberId, keyId] = /^\/lookup\/([^/]+)\/[^/]+\/([^/]+)$/.exec(request.url ?? '') ?? [];
    if (request.method !== 'GET' || subscriberId === undefined || keyId === undefined) return posts(request, response);
    const key = allKeys().find(
      (one) => encodeURIComponent(one.subscriberId) === subscriberId && encodeURIComponent(one.uniqueKeyId) === keyId,
    );
    response.writeHead(key ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(key ? { data: { details: record(key) } } : { message: 'no such record' }));
  };
  const server = await startFaultyServer(listener, { port });
  return server;
};

const record = ({ subscriberId, publicKey, validFrom, validUntil }: PublishedKey) => ({
  subscriber_id: subscriberId,
  signing_public_key: publicKey,
  valid_from: new Date(validFrom).toISOString(),
  valid_until: new Date(validUntil).toISOString(),
  status: 'SUBSCRIBED',
});
