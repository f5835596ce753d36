import { type FaultyServer, startFaultyServer } from '../faults.ts';
import { parseJson } from './envelope.ts';
import type { Subscriber } from './mh-keys.ts';
import { routesListener, json } from './routes.ts';

const year = 365 * 86_400_000;

/** Returns the public keys of its subscribers; `[]` for an unknown subscriber or key. */
export const startMhRegistry = (
  subscribers: readonly Subscriber[],
  { port = 0 }: { readonly port?: number } = {},
): Promise<FaultyServer> => {
  const started = Date.now();
  const records = subscribers.map(({ subscriberId, uniqueKeyId, publicKey }) => ({
    subscriber_id: subscriberId,
    key_id: uniqueKeyId,
    signing_public_key: publicKey,
    valid_from: new Date(started - 60_000).toISOString(),
    valid_until: new Date(started + year).toISOString(),
    status: 'SUBSCRIBED',
  }));
  return startFaultyServer(
    routesListener({
      'POST /lookup': (bytes) => {
        const input = parseJson(bytes) as
          | { readonly subscriber_id?: unknown; readonly ukId?: unknown }
          | null
          | undefined;
        return json(
          records.filter(
            ({ subscriber_id, key_id }) => subscriber_id === input?.subscriber_id && key_id === input.ukId,
          ),
        );
      },
    }),
    { port },
  );
};
