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
}

/** Why a leg has no result (`interfaces.md`, section 7). `detail` contains no text from the network. */
export interface LegFailure {
  readonly kind: 'bap_unreachable' | 'timeout';
  readonly detail: string;
}
