import { billedOf, type Claim } from '../claim.ts';

/** How the billed amount of a claim is divided. All amounts together are the billed amount. */
export interface Costs {
  readonly billed: number;
  /** What the provider does not charge, because of its contract with the plan or because it must not. */
  readonly discount: number;
  readonly planPays: number;
  readonly youPay: number;
  /** What remains, such as payments of another insurer. May be negative. */
  readonly other: number;
}

/** `undefined` until the claims system has decided on all amounts. */
export const costsOf = (claim: Claim): Costs | undefined => {
  const { allowedAmount, planPaidAmount: planPays, memberResponsibilityAmount: youPay } = claim;
  const billed = billedOf(claim);
  if (typeof billed !== 'number' || typeof planPays !== 'number' || typeof youPay !== 'number') return undefined;
  const unpaid = inCents(billed) - inCents(planPays) - inCents(youPay);
  const reduction = typeof allowedAmount === 'number' ? inCents(billed) - inCents(allowedAmount) : unpaid;
  const discount = Math.max(0, Math.min(unpaid, reduction));
  return { billed, discount: discount / 100, planPays, youPay, other: (unpaid - discount) / 100 };
};

export type ShareName = 'deductible' | 'copay' | 'coinsurance' | 'rest';

/** What the member's share consists of, without amounts of 0; `rest` is what the lines do not explain. */
export const shareOf = (claim: Claim): readonly (readonly [name: ShareName, amount: number])[] => {
  const lines = claim.serviceLines ?? [];
  const total = (amount: 'deductibleAmount' | 'copayAmount' | 'coinsuranceAmount') =>
    lines.reduce((sum, line) => sum + inCents(line[amount] ?? 0), 0);
  const known = [
    ['deductible', total('deductibleAmount')],
    ['copay', total('copayAmount')],
    ['coinsurance', total('coinsuranceAmount')],
  ] as const;
  if (known.every(([, cents]) => cents === 0)) return [];
  const rest = known.reduce((left, [, cents]) => left - cents, inCents(claim.memberResponsibilityAmount ?? 0));
  return [...known, ['rest', rest] as const].flatMap(([name, cents]) =>
    cents > 0 ? [[name, cents / 100] as const] : [],
  );
};

const inCents = (amount: number): number => Math.round(amount * 100);
