import type { Accumulators } from '@portico/client';
import { kinds, type Remaining, remainingOf, tiers } from '../dashboard/balance.ts';

export const networks = ['inNetwork', 'outOfNetwork'] as const;

export type Tier = (typeof tiers)[number];
export type Network = (typeof networks)[number];
type Kind = (typeof kinds)[number];

/** A limit of the plan, and what is left of it. */
export interface Limit extends Remaining {
  readonly kind: Kind;
}

/** The limits of a tier in a network. The plan may have none there. */
export const limitsOf = (accumulators: Accumulators, tier: Tier, network: Network): readonly Limit[] =>
  kinds.flatMap((kind) => {
    const remaining = remainingOf(accumulators[kind]?.[tier]?.[network]);
    return remaining ? { kind, ...remaining } : [];
  });

/** The tiers with a limit. */
export const tiersOf = (accumulators: Accumulators): readonly Tier[] =>
  tiers.filter((tier) => networks.some((network) => limitsOf(accumulators, tier, network).length > 0));
