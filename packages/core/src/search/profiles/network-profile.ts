import type { JsonObject } from '../../shared/json/json.ts';

/** The networks that Portico supports without a profile of your own. */
export type ProfileName = 'beckn-1.1' | 'beckn-0.9' | 'ondc-1.2' | 'beckn-2.0';

/** The fee that a buyer application of ONDC takes for an order. */
export interface FinderFee {
  readonly type: 'percent' | 'amount';
  /** A decimal number, for example `3` or `2.5`. */
  readonly amount: string;
}

/** The values of `context.action` that a callback may have. */
export type CallbackAction = 'on_search' | 'on_discover';

/** How a Beckn 2.0 network names fields: `bapId` as in version 2.0.0, `bap_id` as in its drafts. */
export type FieldNames = 'camelCase' | 'snake_case';

/** Everything that an envelope is built from. */
export interface EnvelopeInput {
  readonly domain: string;
  readonly version: string;
  readonly city: string;
  readonly categoryCode: string;
  readonly bapId: string;
  readonly bapUri: string;
  /** An ISO 8601 duration. */
  readonly ttl: string;
  readonly transactionId: string;
  readonly messageId: string;
  /** ISO 8601, UTC, with milliseconds. */
  readonly timestamp: string;
  readonly query: string;
  /** The leg's `extraContext`. The envelope's own fields win. */
  readonly extraContext: JsonObject;
  /** The intent of the leg and of the persona, merged, with the values of the search. The envelope's own fields win. */
  readonly intent: JsonObject;
  readonly country?: string | undefined;
  readonly finderFee?: FinderFee | undefined;
  readonly fieldNames?: FieldNames | undefined;
}

/** An envelope of any network version. */
export interface ProfileEnvelope {
  readonly context: JsonObject;
  readonly message: JsonObject;
}

/** Builds the request that a leg posts. Must be pure. */
export type EnvelopeBuilder = (input: EnvelopeInput) => ProfileEnvelope;

/**
 * What one network version expects: the request, its path, and the action of the callbacks. A leg names a profile of
 * Portico, or has one of your own. Start from one of `networkProfiles` for a network that differs in a few fields.
 */
export interface NetworkProfile {
  /** Path of the request below the leg's `gatewayUrl`, unless the leg has its own. */
  readonly gatewayPath: string;
  readonly callbackAction: CallbackAction;
  readonly buildEnvelope: EnvelopeBuilder;
}
