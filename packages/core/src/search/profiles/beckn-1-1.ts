import { mergeObjects } from './intent.ts';
import type { NetworkProfile } from './network-profile.ts';

/**
 * Beckn 1.1, the default: exactly the fields of the contract, section 5 (beckn/protocol-specifications, release
 * `core-v1.1.0`, `api/transaction/build/transaction.yaml`).
 */
export const beckn11: NetworkProfile = {
  gatewayPath: '/search',
  callbackAction: 'on_search',
  buildEnvelope: (input) => {
    const context = {
      domain: input.domain,
      action: 'search',
      version: input.version,
      bap_id: input.bapId,
      bap_uri: input.bapUri,
      transaction_id: input.transactionId,
      message_id: input.messageId,
      timestamp: input.timestamp,
      ttl: input.ttl,
      city: input.city,
    };
    const intent = {
      category: { descriptor: { code: input.categoryCode } },
      item: { descriptor: { name: input.query } },
    };
    return {
      // Spread twice: the standard fields come first, and extra fields cannot replace them.
      context: { ...context, ...input.extraContext, ...context },
      message: { intent: mergeObjects(intent, input.intent) },
    };
  },
};
