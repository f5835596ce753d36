import { expect, it } from 'vitest';
import { costsOf, shareOf } from './costs.ts';

const adjudicated = {
  billedAmount: 1320,
  allowedAmount: 1018.6,
  planPaidAmount: 344.6,
  memberResponsibilityAmount: 674,
};

it('the billed amount is divided into discount, payment of the plan and share of the member', () => {
  expect(costsOf(adjudicated)).toEqual({ billed: 1320, discount: 301.4, planPays: 344.6, youPay: 674, other: 0 });
});

it('a claim has no costs before the claims system has decided', () => {
  expect(costsOf({ billedAmount: 210, planPaidAmount: null, memberResponsibilityAmount: null })).toBeUndefined();
});

it('the payment of another insurer is shown as another adjustment', () => {
  const claim = { billedAmount: 150, allowedAmount: 100, planPaidAmount: 20, memberResponsibilityAmount: 0 };
  expect(costsOf(claim)).toMatchObject({ discount: 50, other: 80 });
});

it('a denied claim that the member has to pay has no discount', () => {
  const claim = { billedAmount: 320, allowedAmount: 0, planPaidAmount: 0, memberResponsibilityAmount: 320 };
  expect(costsOf(claim)).toMatchObject({ discount: 0, youPay: 320, other: 0 });
});

it('the discount is computed from the other amounts if the allowed amount is missing', () => {
  expect(costsOf({ billedAmount: 0.3, planPaidAmount: 0.1, memberResponsibilityAmount: 0.1 })).toMatchObject({
    discount: 0.1,
    other: 0,
  });
});

it('the share of the member is added up over all lines', () => {
  const serviceLines = [{ copayAmount: 50 }, { deductibleAmount: 580, coinsuranceAmount: 44 }];
  expect(shareOf({ ...adjudicated, serviceLines })).toEqual([
    ['deductible', 580],
    ['copay', 50],
    ['coinsurance', 44],
  ]);
});

it('the share of the member names the part that the lines do not explain', () => {
  expect(shareOf({ ...adjudicated, serviceLines: [{ copayAmount: 50 }] })).toEqual([
    ['copay', 50],
    ['rest', 624],
  ]);
});
