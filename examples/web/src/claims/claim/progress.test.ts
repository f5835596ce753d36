import { expect, it } from 'vitest';
import { formatFor } from '../../texts/format.ts';
import type { Claim } from '../claim.ts';
import { claimNames } from '../claim-name-texts.en.ts';
import { claims } from '../claim-texts.en.ts';
import { stepsOf } from './progress.ts';

const dates = { serviceDates: { from: '2026-03-05' }, receivedDate: '2026-03-09' };

const shown = (claim: Claim) =>
  stepsOf(claim, { claims, claimNames }, formatFor('en-US')).map(({ title, at, details, state }) =>
    [title, at, details as string | undefined, state].filter(Boolean).join(', '),
  );

const before = ['Care received, Mar 5, 2026, done', 'Claim received, Mar 9, 2026, done'];

it('the progress of a paid claim ends with the payment', () => {
  expect(
    shown({ ...dates, status: 'paid', adjudicatedDate: '2026-03-20', planPaidAmount: 344.6, currency: 'USD' }),
  ).toEqual([...before, 'Processed, Mar 20, 2026, done', 'Paid, Your plan pays $344.60., done']);
});

it('the progress of a denied claim ends with the decision', () => {
  expect(shown({ ...dates, status: 'denied', adjudicatedDate: '2026-03-20' })).toEqual([
    ...before,
    'Denied, Mar 20, 2026, failed',
  ]);
});

it('the progress of a claim in review shows the review as the current step', () => {
  expect(shown({ ...dates, status: 'in-review', adjudicatedDate: null })).toEqual([
    ...before,
    'In review, current',
    'Decision, upcoming',
  ]);
});

it('the progress of a claim that was just submitted without dates starts with the receipt', () => {
  expect(shown({ status: 'received' })).toEqual([
    'Claim received, current',
    'In review, upcoming',
    'Decision, upcoming',
  ]);
});

it('the progress of a claim shows a status that only the claims system knows as the current step', () => {
  expect(shown({ ...dates, status: 'awaiting-documents' })).toEqual([
    ...before,
    'Awaiting documents, current',
    'Decision, upcoming',
  ]);
});
