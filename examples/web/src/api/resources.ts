/** Responses of the insurer's services. Every field may be missing: Portico relays them and guarantees no shape. */
export interface Coverage {
  readonly status?: string;
  readonly plan?: { readonly name?: string; readonly type?: string };
  readonly memberId?: string;
  readonly group?: { readonly name?: string };
  readonly effectiveDate?: string;
  readonly terminationDate?: string | null;
  readonly network?: { readonly name?: string };
  readonly dependents?: readonly { readonly name?: string; readonly relationship?: string }[];
}

export interface Balance {
  /** `null` or missing: no limit. */
  readonly limit?: number | null;
  readonly used?: number | null;
  readonly remaining?: number | null;
}

type ByNetwork = Readonly<Partial<Record<'inNetwork' | 'outOfNetwork', Balance>>>;
type ByTier = Readonly<Partial<Record<'individual' | 'family', ByNetwork>>>;

export interface Accumulators {
  readonly currency?: string;
  readonly benefitPeriod?: { readonly start?: string; readonly end?: string };
  readonly deductible?: ByTier;
  readonly outOfPocketMaximum?: ByTier;
}

export interface DocumentSummary {
  readonly locator: string;
  readonly type?: string;
  readonly title?: string;
  readonly date?: string;
  /** Of an explanation of benefits. */
  readonly claimLocator?: string;
}

export interface Notification {
  readonly id: string;
  readonly title?: string;
  readonly body?: string;
  readonly category?: string;
  readonly severity?: string;
  readonly createdAt?: string;
  /** Whether the member has read it. Most services do not keep this. */
  readonly read?: boolean;
}
