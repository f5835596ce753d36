import { sum, type Network, type SeedClaim } from './adjudication.ts';

type Tier = 'individual' | 'family';
type Limits = Readonly<Record<Tier, Readonly<Record<Network, number>>>>;

const limitsOf = {
  'PPO-1500': {
    deductible: limits([1500, 3000], [3000, 6000]),
    outOfPocketMaximum: limits([5000, 10_000], [10_000, 20_000]),
  },
  'HDHP-3400': {
    deductible: limits([3400, 6800], [6800, 13_600]),
    outOfPocketMaximum: limits([6000, 12_000], [12_000, 24_000]),
  },
  'POS-500': {
    deductible: limits([500, 1000], [2500, 5000]),
    outOfPocketMaximum: limits([4000, 8000], [9000, 18_000]),
  },
} as const satisfies Record<string, { readonly deductible: Limits; readonly outOfPocketMaximum: Limits }>;

export type PlanCode = keyof typeof limitsOf;

/** How much of each limit the claims of the benefit period have used. */
export const accumulatorsFrom = (planCode: PlanCode, claims: readonly SeedClaim[]) => ({
  currency: 'USD' as const,
  benefitPeriod: { start: '2026-01-01', end: '2026-12-31' },
  deductible: counted(limitsOf[planCode].deductible, claims, 'deductibleAmount'),
  outOfPocketMaximum: counted(limitsOf[planCode].outOfPocketMaximum, claims, 'memberResponsibilityAmount'),
});

export type SeedAccumulators = ReturnType<typeof accumulatorsFrom>;

const counted = (
  limit: Limits,
  claims: readonly SeedClaim[],
  amount: 'deductibleAmount' | 'memberResponsibilityAmount',
) => {
  const balance = (tier: Tier, network: Network) => {
    const used = sum(
      claims
        .filter(
          ({ provider, patient }) =>
            provider.network === network && (tier === 'family' || patient.relationship === 'self'),
        )
        .flatMap(({ serviceLines }) => serviceLines.map((line) => line[amount] ?? 0)),
    );
    return { limit: limit[tier][network], used, remaining: sum([limit[tier][network], -used]) };
  };
  const tier = (name: Tier) => ({
    inNetwork: balance(name, 'inNetwork'),
    outOfNetwork: balance(name, 'outOfNetwork'),
  });
  return { individual: tier('individual'), family: tier('family') };
};

function limits(inNetwork: readonly [number, number], outOfNetwork: readonly [number, number]): Limits {
  return {
    individual: { inNetwork: inNetwork[0], outOfNetwork: outOfNetwork[0] },
    family: { inNetwork: inNetwork[1], outOfNetwork: outOfNetwork[1] },
  };
}
