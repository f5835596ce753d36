import type { Leg } from './leg.ts';
import { fillObject, mergeObjects } from './profiles/intent.ts';
import { profileOf } from './profiles/profiles.ts';

/** A search request to a Beckn 1.1 network (contract, section 5). Other profiles have fields of their own. */
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

/** What the search adds to the envelopes of its legs. */
interface EnvelopeSearch {
  readonly persona: string;
  readonly userId: string;
  /** The intent of the persona. The leg's `extraIntent` wins. */
  readonly personaIntent?: Readonly<Record<string, unknown>> | undefined;
}

const nothing: Readonly<Record<string, unknown>> = {};

const noSearch: EnvelopeSearch = { persona: '', userId: '' };

/** Builds the envelope of one leg with its profile. `now` is in milliseconds since the epoch. */
export const buildEnvelope = (
  leg: Leg & { readonly ttl: string },
  query: string,
  { transactionId, messageId }: EnvelopeIds,
  now: number,
  { persona, userId, personaIntent = nothing }: EnvelopeSearch = noSearch,
): Envelope => {
  const { extraContext = nothing, extraIntent = nothing, country, finderFee, fieldNames } = leg;
  const envelope = profileOf(leg).buildEnvelope({
    domain: leg.domain,
    version: leg.version,
    city: leg.city,
    categoryCode: leg.categoryCode,
    bapId: leg.bapId,
    bapUri: leg.bapUri,
    ttl: leg.ttl,
    transactionId,
    messageId,
    // oxlint-disable-next-line no-restricted-globals -- formats a given time, does not read the clock
    timestamp: new Date(now).toISOString(),
    query,
    extraContext,
    intent: fillObject(mergeObjects(extraIntent, personaIntent), { query, persona, user_id: userId }),
    country,
    finderFee,
    fieldNames,
  });
  // `Envelope` has the fields of Beckn 1.1; other profiles return others. Only tests read them by these names.
  return envelope as Envelope;
};
