/** One Beckn network that a search is put to, and how we appear on it (contract, section 6). */
export interface Leg {
  /** The key of its result in the answer. */
  readonly id: string;
  /** What people call it. */
  readonly label: string;
  readonly domain: string;
  readonly version: string;
  readonly city: string;
  readonly categoryCode: string;
  readonly bapId: string;
  /** Where the seller calls back; sent as configured. */
  readonly bapUri: string;
  readonly gatewayUrl: string;
  readonly gatewayPath: string;
  /** ISO 8601 duration. */
  readonly ttl: string;
  /** Fields that this network wants in the context beside the usual ones. */
  readonly extraContext?: Readonly<Record<string, unknown>>;
  /** Take callbacks only from sellers whose signature the registry vouches for. */
  readonly verifyCallbacks?: boolean;
}

/** Why a leg has no result (`interfaces.md`, section 7). `detail` says more, in our own words. */
export interface LegFailure {
  readonly kind: 'bap_unreachable' | 'timeout';
  readonly detail: string;
}
