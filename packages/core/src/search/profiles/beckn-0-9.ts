import { mergeObjects } from './intent.ts';
import type { EnvelopeInput, NetworkProfile } from './network-profile.ts';

/** The default of `country` (ISO 3166-1 alpha-3). Both networks with this context are in India. */
export const defaultCountry = 'IND';

/** The context of Beckn 0.9 and of ONDC 1.x: `core_version` instead of `version`, and `country` and `city` as strings. */
export const context09 = (input: EnvelopeInput): Readonly<Record<string, unknown>> => {
  const context = {
    domain: input.domain,
    country: input.country ?? defaultCountry,
    city: input.city,
    action: 'search',
    core_version: input.version,
    bap_id: input.bapId,
    bap_uri: input.bapUri,
    transaction_id: input.transactionId,
    message_id: input.messageId,
    timestamp: input.timestamp,
    ttl: input.ttl,
  };
  return { ...context, ...input.extraContext, ...context };
};

/**
 * Beckn 0.9 (beckn/protocol-specifications, release `core-0.9.4`, `core/v0/api/components/schemas/Context.yaml` and
 * `Intent.yaml`). Sellers send their catalog in `message.catalog["bpp/providers"]`.
 */
export const beckn09: NetworkProfile = {
  gatewayPath: '/search',
  callbackAction: 'on_search',
  buildEnvelope: (input) => {
    const intent = {
      category: { descriptor: { code: input.categoryCode } },
      item: { descriptor: { name: input.query } },
    };
    return { context: context09(input), message: { intent: mergeObjects(intent, input.intent) } };
  },
};
