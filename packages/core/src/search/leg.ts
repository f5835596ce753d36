import type { FieldNames, FinderFee, NetworkProfile, ProfileName } from './profiles/network-profile.ts';

/** The configuration of one Beckn network that is searched (contract, section 6). */
export interface Leg {
  /** The key of the leg in the search response. */
  readonly id: string;
  /** The display name. */
  readonly label: string;
  readonly domain: string;
  readonly version: string;
  readonly city: string;
  readonly categoryCode: string;
  readonly bapId: string;
  /** The callback URL for sellers, sent as configured. */
  readonly bapUri: string;
  readonly gatewayUrl: string;
  /** Default: the path of the profile. */
  readonly gatewayPath?: string | undefined;
  /** An ISO 8601 duration. Default: the time that a search waits for callbacks. */
  readonly ttl?: string | undefined;
  /** The network version: its request, path and callbacks. Default `beckn-1.1`. */
  readonly profile?: ProfileName | NetworkProfile | undefined;
  /** Additional context fields that this network requires. */
  readonly extraContext?: Readonly<Record<string, unknown>>;
  /**
   * Merged deeply into `message.intent`; the envelope's own fields win, arrays are replaced. `{query}`, `{persona}` and
   * `{user_id}` in its strings are replaced by the values of the search.
   */
  readonly extraIntent?: Readonly<Record<string, unknown>> | undefined;
  /** ISO 3166-1 alpha-3, for the profiles `beckn-0.9` and `ondc-1.2`. Default `IND`. */
  readonly country?: string | undefined;
  /** For the profile `ondc-1.2`. */
  readonly finderFee?: FinderFee | undefined;
  /** For the profile `beckn-2.0`. Default `camelCase`. */
  readonly fieldNames?: FieldNames | undefined;
  /** Accept only callbacks with a valid signature of a seller in the registry. */
  readonly verifyCallbacks?: boolean;
  /** Which callback ends the leg. Default `first`. */
  readonly callbacks?: CallbackMode;
  /** The maximum number of callbacks that a collecting leg keeps. Default `collectDefaults.maxCallbacks`. */
  readonly maxCallbacks?: number;
  /** The maximum total size of the callbacks that a collecting leg keeps. Default `collectDefaults.maxBytes`. */
  readonly maxBytes?: number;
  /** Refuse callbacks whose `message_id`, `bap_id` or `domain` differs from what was sent. Default: only count them. */
  readonly strict?: boolean;
}

/** A leg with the defaults of its profile and of the search. */
export type ListedLeg = Leg & { readonly gatewayPath: string; readonly ttl: string };

/**
 * What ends a leg (contract, section 13): its first callback, the deadline of the search, the `count`th callback, or
 * `quietMs` milliseconds without another one. In all modes but `first` the leg collects the callbacks of many sellers,
 * and ends at the deadline at the latest.
 */
export type CallbackMode =
  | 'first'
  | { readonly until: 'deadline' }
  | { readonly count: number }
  | { readonly quietMs: number };

export const collectDefaults = { maxCallbacks: 100, maxBytes: 32 * 1024 * 1024 } as const;

/** Why a leg has no result (contract, section 5). `detail` contains no text from the network. */
export interface LegFailure {
  readonly kind: 'bap_unreachable' | 'timeout';
  readonly detail: string;
}
