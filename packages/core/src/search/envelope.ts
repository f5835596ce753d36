import type { Leg } from './leg.ts';

/** A search request to a Beckn network (`interfaces.md`, "Search envelope"). */
export interface Envelope {
  readonly context: {
    readonly domain: string;
    readonly action: 'search';
    readonly version: string;
    readonly bap_id: string;
    readonly bap_uri: string;
    readonly transaction_id: string;
    readonly message_id: string;
    /** ISO 8601, UTC, with milliseconds. */
    readonly timestamp: string;
    readonly ttl: string;
    readonly city: string;
  } & Readonly<Record<string, unknown>>;
  readonly message: {
    readonly intent: {
      readonly category: { readonly descriptor: { readonly code: string } };
      readonly item: { readonly descriptor: { readonly name: string } };
    };
  };
}

export interface EnvelopeIds {
  readonly transactionId: string;
  readonly messageId: string;
}

/** Builds the envelope of one leg. `now` is in milliseconds since the epoch. */
export const buildEnvelope = (leg: Leg, query: string, ids: EnvelopeIds, now: number): Envelope => {
  const context = {
    domain: leg.domain,
    action: 'search',
    version: leg.version,
    bap_id: leg.bapId,
    bap_uri: leg.bapUri,
    transaction_id: ids.transactionId,
    message_id: ids.messageId,
    // oxlint-disable-next-line no-restricted-globals -- formats a given time, does not read the clock
    timestamp: new Date(now).toISOString(),
    ttl: leg.ttl,
    city: leg.city,
  } as const;
  return {
    // Spread twice: the standard fields come first, and extra fields cannot replace them.
    context: { ...context, ...leg.extraContext, ...context },
    message: {
      intent: {
        category: { descriptor: { code: leg.categoryCode } },
        item: { descriptor: { name: query } },
      },
    },
  };
};
