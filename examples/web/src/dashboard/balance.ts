/** The limits of a plan, in the order in which they are shown. */
export const kinds = ['deductible', 'outOfPocketMaximum'] as const;

/** Whose amounts, in the order in which they are shown. */
export const tiers = ['individual', 'family'] as const;

export interface Balance {
  /** `null` or missing: no limit. */
  readonly limit?: number | null;
  readonly used?: number | null;
  readonly remaining?: number | null;
}

export interface Remaining {
  readonly limit: number;
  readonly used: number;
  /** How much more the member pays until the limit is reached; never less than 0. */
  readonly left: number;
}

/** What is left of a limit. `undefined` without a limit. */
export const remainingOf = (balance: Balance | null | undefined): Remaining | undefined => {
  const { limit, used, remaining } = balance ?? {};
  if (typeof limit !== 'number' || limit < 0) return undefined;
  const spent = used ?? 0;
  return { limit, used: spent, left: Math.max(0, remaining ?? limit - spent) };
};
