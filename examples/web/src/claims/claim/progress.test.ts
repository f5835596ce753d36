import { expect, it } from 'vitest';
import { formatFor } from '../../texts/format.ts';
import type { Claim } from '../claim.ts';
import { claimNames } from '../claim-names.en.ts';
import { claims } from '../claim-texts.en.ts';
import { stepsOf } from './progress.ts';

const dates = { serviceDates: { from: '2026-03-05' }, receivedDate: '2026-03-09' };

const shown = (claim: Claim) =>
  stepsOf(claim, { claims, claimNames }, formatFor('en-US')).map(({ title, at, details, state }) =>
    [title, at, details as string | undefined, state].filter(Boolean).join(', '),
  );

const before = ['Care received, Mar 5, 2026, done', 'Claim received, Mar 9, 2026, done'];

it('ends with the payment of a paid claim', () => {
  expect(
    shown({ ...dates, status: 'paid', adjudicatedDate: '2026-03-20', planPaidAmount: 344.6, currency: 'USD' }),
  ).toEqual([...before, 'Processed, Mar 20, 2026, done', 'Paid, Your plan pays $344.60., done']);
});

it('ends with the decision on a denied claim', () => {
  expect(shown({ ...dates, status: 'denied', adjudicatedDate: '2026-03-20' })).toEqual([
    ...before,
    'Denied, Mar 20, 2026, failed',
  ]);
});

it('shows the review as the current step', () => {
  expect(shown({ ...dates, status: 'in-review', adjudicatedDate: null })).toEqual([
    ...before,
    'In review, current',
    'Decision, upcoming',
  ]);
});

it('starts with the receipt of a claim that was just submitted without dates', () => {
  expect(shown({ status: 'received' })).toEqual([
    'Claim received, current',
    'In review, upcoming',
    'Decision, upcoming',
  ]);
});

it('shows a status that only the claims system knows as the current step', () => {
  expect(shown({ ...dates, status: 'awaiting-documents' })).toEqual([
    ...before,
    'Awaiting documents, current',
    'Decision, upcoming',
  ]);
});
