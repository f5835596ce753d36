import { expect, it } from 'vitest';
import { costsOf, shareOf } from './costs.ts';

const adjudicated = {
  billedAmount: 1320,
  allowedAmount: 1018.6,
  planPaidAmount: 344.6,
  memberResponsibilityAmount: 674,
};

it('divides the billed amount into discount, payment of the plan and share of the member', () => {
  expect(costsOf(adjudicated)).toEqual({ billed: 1320, discount: 301.4, planPays: 344.6, youPay: 674, other: 0 });
});

it('has no costs before the claims system has decided', () => {
  expect(costsOf({ billedAmount: 210, planPaidAmount: null, memberResponsibilityAmount: null })).toBeUndefined();
});

it('shows what another insurer pays as another adjustment', () => {
  const claim = { billedAmount: 150, allowedAmount: 100, planPaidAmount: 20, memberResponsibilityAmount: 0 };
  expect(costsOf(claim)).toMatchObject({ discount: 50, other: 80 });
});

it('shows no discount for a denied claim that the member has to pay', () => {
  const claim = { billedAmount: 320, allowedAmount: 0, planPaidAmount: 0, memberResponsibilityAmount: 320 };
  expect(costsOf(claim)).toMatchObject({ discount: 0, youPay: 320, other: 0 });
});

it('takes the discount from the other amounts if the allowed amount is missing', () => {
  expect(costsOf({ billedAmount: 0.3, planPaidAmount: 0.1, memberResponsibilityAmount: 0.1 })).toMatchObject({
    discount: 0.1,
    other: 0,
  });
});

it('adds up the share of the member over all lines', () => {
  const serviceLines = [{ copayAmount: 50 }, { deductibleAmount: 580, coinsuranceAmount: 44 }];
  expect(shareOf({ ...adjudicated, serviceLines })).toEqual([
    ['deductible', 580],
    ['copay', 50],
    ['coinsurance', 44],
  ]);
});

it('names the part of the share that the lines do not explain', () => {
  expect(shareOf({ ...adjudicated, serviceLines: [{ copayAmount: 50 }] })).toEqual([
    ['copay', 50],
    ['rest', 624],
  ]);
});
