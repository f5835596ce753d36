import { type FaultyServer, startFaultyServer } from '../faults.ts';
import { type Intent, type Tag, parseEnvelope } from './envelope.ts';
import type { Subscriber } from './subscriber.ts';
import { type Handle, routesListener, nack, relay } from './routes.ts';

export interface MhAdapterSettings {
  readonly buyer: Subscriber;
  readonly enrichmentUrl: string;
  readonly gatewayUrl: string;
  readonly port?: number;
}

/** Enriches the buyer's search, signs it for the buyer and sends it to the gateway. */
export const startMhAdapter = ({
  buyer,
  enrichmentUrl,
  gatewayUrl,
  port = 0,
}: MhAdapterSettings): Promise<FaultyServer> => {
  const search: Handle = async (bytes) => {
    const envelope = parseEnvelope(bytes);
    if (!envelope) return nack(400, 'envelope', 'not a search');
    const { message } = envelope;
    const tags = await enrichedTags(enrichmentUrl, message.intent);
    const signed = Buffer.from(
      JSON.stringify({ ...envelope, message: { ...message, intent: { ...message.intent, tags } } }),
    );
    return relay(`${gatewayUrl}/search`, signed, { authorization: buyer.sign(signed) });
  };
  return startFaultyServer(routesListener({ 'POST /bap/caller/search': search, 'POST /bap/caller/search/': search }), {
    port,
  });
};

const enrichWithinMs = 1000;

/** The tags of the intent and those that the enrichment service adds. Without that service, the tags are unchanged. */
const enrichedTags = async (url: string, intent: Intent): Promise<readonly Tag[]> => {
  const existing = Array.isArray(intent.tags) ? intent.tags : [];
  try {
    const response = await fetch(`${url}/enrich`, {
      method: 'POST',
      body: JSON.stringify({ intent }),
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(enrichWithinMs),
    });
    const { intent: enriched } = (await response.json()) as { readonly intent: Intent };
    const codes = new Set(existing.map((tag) => tag.descriptor?.code));
    return [...existing, ...(enriched.tags ?? []).filter((tag) => !codes.has(tag.descriptor.code))];
  } catch {
    return existing;
  }
};
