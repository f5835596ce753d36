import { context09 } from './beckn-0-9.ts';
import { mergeObjects } from './intent.ts';
import type { NetworkProfile } from './network-profile.ts';

/**
 * ONDC 1.2 (ONDC-Official/v1.2.0-logs and ONDC's "API Contract for Retail", version 1.2.0, `/search`): the context of Beckn
 * 0.9, a search by item name in a category with an id, and the finder fee of the buyer application in `payment`. Other
 * tags, such as `bap_terms`, and the fulfillment location belong in `extraIntent`. The city has the form `std:080`.
 */
export const ondc12: NetworkProfile = {
  gatewayPath: '/search',
  callbackAction: 'on_search',
  buildEnvelope: (input) => {
    const { finderFee } = input;
    const intent = {
      category: { id: input.categoryCode },
      item: { descriptor: { name: input.query } },
      ...(finderFee && {
        payment: {
          '@ondc/org/buyer_app_finder_fee_type': finderFee.type,
          '@ondc/org/buyer_app_finder_fee_amount': finderFee.amount,
        },
      }),
    };
    return { context: context09(input), message: { intent: mergeObjects(intent, input.intent) } };
  },
};
