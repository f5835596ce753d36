import type { JsonObject } from '../../shared/json/json.ts';
import { mergeObjects } from './intent.ts';
import type { EnvelopeInput, NetworkProfile } from './network-profile.ts';

/**
 * Beckn 2.0 (beckn/protocol-specifications-v2, `api/v2.0.0/beckn.yaml`, schemas `Context`, `DiscoverAction` and `Intent`):
 * `POST /discover` with the query as free text; catalogs come in `message.catalogs` of an `on_discover` callback. The
 * drafts before 2.0.0 named fields in `snake_case` and had the intent directly in `message`. The category has no place in
 * this intent: filter with `extraIntent.filters`.
 */
export const beckn20: NetworkProfile = {
  gatewayPath: '/discover',
  callbackAction: 'on_discover',
  buildEnvelope: (input) => (input.fieldNames === 'snake_case' ? draft(input) : released(input)),
};

const released = (input: EnvelopeInput) => {
  const context = {
    domain: input.domain,
    action: 'discover',
    version: input.version,
    bapId: input.bapId,
    bapUri: input.bapUri,
    transactionId: input.transactionId,
    messageId: input.messageId,
    timestamp: input.timestamp,
    ttl: input.ttl,
  };
  return {
    context: contextWith(context, input),
    message: { intent: mergeObjects({ textSearch: input.query }, input.intent) },
  };
};

const draft = (input: EnvelopeInput) => {
  const context = {
    domain: input.domain,
    action: 'discover',
    version: input.version,
    bap_id: input.bapId,
    bap_uri: input.bapUri,
    transaction_id: input.transactionId,
    message_id: input.messageId,
    timestamp: input.timestamp,
    ttl: input.ttl,
  };
  return { context: contextWith(context, input), message: mergeObjects({ text_search: input.query }, input.intent) };
};

/** `extraContext` may add to the location, but not replace its city. */
const contextWith = (context: JsonObject, { city, extraContext }: EnvelopeInput): JsonObject => ({
  ...context,
  ...mergeObjects({ location: { city: { code: city } } }, extraContext),
  ...context,
});
