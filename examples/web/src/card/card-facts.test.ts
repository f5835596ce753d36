import { expect, it } from 'vitest';
import { formatFor } from '../texts/format.ts';
import { coinsuranceFactsOf, copayFactsOf, holderOf, numbersOf, planFactsOf } from './card-facts.ts';
import { card as texts } from './card-texts.en.ts';

const format = formatFor('en-US');

it('the card names the subscriber beside a member who is a dependent', () => {
  const subscriber = { name: 'Sample Subscriber', relationship: 'spouse' };
  expect(holderOf({ subscriber }, 'Sample Dependent', texts)).toEqual([
    ['Member', 'Sample Dependent'],
    ['Subscriber', 'Sample Subscriber'],
  ]);
});

it('the card does not give the name of the subscriber to a dependent whose name is not known', () => {
  expect(holderOf({ subscriber: { name: 'Sample Subscriber', relationship: 'child' } }, undefined, texts)).toEqual([
    ['Subscriber', 'Sample Subscriber'],
  ]);
});

it('the card shows the name of a subscriber as on the policy', () => {
  expect(holderOf({ subscriber: { name: 'Sample Subscriber', relationship: 'self' } }, 'sample', texts)).toEqual([
    ['Member', 'Sample Subscriber'],
  ]);
  expect(holderOf({}, 'Ann', texts)).toEqual([['Member', 'Ann']]);
});

it('the card shows a last day only for coverage that has one', () => {
  expect(planFactsOf({ effectiveDate: '2026-01-01', terminationDate: null }, texts, format)).toEqual([
    ['Effective', 'Jan 1, 2026'],
  ]);
  expect(planFactsOf({ terminationDate: '2026-12-31' }, texts, format)).toEqual([['Valid until', 'Dec 31, 2026']]);
});

it('the card leaves out numbers that the service did not send', () => {
  expect(numbersOf({ memberId: 'M1', pharmacy: { pcn: 'P1' } }, texts)).toEqual([
    ['Member ID', 'M1'],
    ['RxPCN', 'P1'],
  ]);
});

it('the card shows a share of 0 percent, and copays in their currency', () => {
  expect(coinsuranceFactsOf({ coinsurance: { inNetwork: { memberPercent: 0 } } }, texts)).toEqual([
    ['In network', '0%'],
  ]);
  expect(copayFactsOf({ currency: 'EUR', copays: [{ service: 'Visit', amount: 20 }] }, format)).toEqual([
    ['Visit', '€20.00'],
  ]);
});
