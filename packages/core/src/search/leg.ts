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
  readonly gatewayPath: string;
  /** An ISO 8601 duration. */
  readonly ttl: string;
  /** Additional context fields that this network requires. */
  readonly extraContext?: Readonly<Record<string, unknown>>;
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

/** Why a leg has no result (`interfaces.md`, section 7). `detail` contains no text from the network. */
export interface LegFailure {
  readonly kind: 'bap_unreachable' | 'timeout';
  readonly detail: string;
}
