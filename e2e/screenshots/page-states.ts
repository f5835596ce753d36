import { fillClaim } from '../browser/claim-form.ts';
import { errorStates } from './error-states.ts';
import type { PageState } from './page-state.ts';
import { searchStates } from './search-states.ts';
import { choose, click, configure, fill, hold, respond, respondWithParts } from './steps.ts';

/** Replaced here: a claim stored in the sandbox would appear in the other pictures. */
const acceptClaim = respond(
  '/me/claims',
  { locator: 'CLM-1001-07' },
  { method: 'POST', status: 201, headers: { location: '/me/claims/CLM-1001-07' } },
);

const lakeside = {
  brand: { name: 'Lakeside Health', headerColor: '#12524a', accentColor: '#0b7a6b' },
};

const dashboardStates: readonly PageState[] = [
  { name: 'dashboard', path: '/', ready: 'Member ID', looks: ['dark', 'forced-colors'] },
  { name: 'dashboard-loading', path: '/', before: [hold('/me.*')], ready: 'Loading', isLoading: true },
  {
    name: 'dashboard-empty',
    path: '/',
    before: [
      respondWithParts({
        coverage: { status: 'active', memberId: 'SMP100100101' },
        accumulators: {},
        claims: { claims: [] },
        documents: { documents: [] },
        notifications: { notifications: [] },
      }),
      respond('/me/notifications', { notifications: [] }),
    ],
    ready: 'You have no claims.',
  },
  { name: 'dashboard-german', path: '/', locale: 'de-DE', ready: 'Mitglieds' },
  { name: 'dashboard-brand', path: '/', before: [configure(lakeside)], ready: 'Member ID' },
  {
    name: 'dashboard-without-claims',
    path: '/',
    before: [configure({ services: ['eligibility', 'documents', 'policy', 'consent'] })],
    ready: 'Member ID',
  },
];

const claimStates: readonly PageState[] = [
  { name: 'claims', path: '/claims', ready: 'CLM-1001-06' },
  { name: 'claims-loading', path: '/claims', before: [hold('/me/.*')], ready: 'Loading', isLoading: true },
  {
    name: 'claims-empty',
    path: '/claims',
    before: [respond('/me/claims', { claims: [] })],
    ready: 'You have no claims',
  },
  { name: 'claims-no-match', path: '/claims?status=received', ready: 'You have no claims with this status.' },
  { name: 'claim', path: '/claims/CLM-1001-02', ready: 'What you pay', looks: ['dark', 'print'] },
  { name: 'claim-in-review', path: '/claims/CLM-1001-06', ready: 'Not decided yet' },
  { name: 'claim-denied', path: '/claims/CLM-1001-05', ready: 'Your plan does not pay this claim.' },
  { name: 'claim-not-found', path: '/claims/CLM-1002-01', ready: 'Claim not found' },
  { name: 'submit-claim', path: '/claims/new', ready: 'Submit' },
  {
    name: 'submit-claim-errors',
    path: '/claims/new',
    steps: [click('Submit claim')],
    ready: 'Select the kind of care',
  },
  {
    name: 'submit-claim-done',
    path: '/claims/new',
    steps: [({ page }) => fillClaim(page), acceptClaim, click('Submit claim')],
    ready: 'Your claim number',
  },
];

const accountStates: readonly PageState[] = [
  { name: 'preferences', path: '/preferences', ready: 'What you get', looks: ['forced-colors'] },
  { name: 'preferences-never-set', path: '/preferences', member: 'member-c', ready: 'What you get' },
  {
    name: 'preferences-errors',
    path: '/preferences',
    member: 'member-c',
    steps: [click('Save preferences')],
    ready: 'There is a problem',
  },
  {
    name: 'preferences-unsaved',
    path: '/preferences',
    steps: [click('Text message'), click('Documents')],
    ready: 'Leave without saving?',
    isWindow: true,
  },
  { name: 'account', path: '/account', ready: 'Electronic delivery' },
  {
    name: 'contact-errors',
    path: '/account',
    steps: [click('Edit contact details'), fill('Email', 'name'), fill('Phone', '12'), click('Save contact details')],
    ready: 'There is a problem',
  },
  {
    name: 'consent-confirmation',
    path: '/account',
    steps: [
      choose('Research', 'Yes, I agree'),
      choose('Share with providers', 'No, I do not agree'),
      click('Save consent'),
    ],
    ready: 'Change your consent?',
    isWindow: true,
  },
];

const coverageStates: readonly PageState[] = [
  { name: 'costs', path: '/costs', ready: 'At the pharmacy' },
  { name: 'costs-family', path: '/costs?for=family', ready: 'At the pharmacy' },
  { name: 'card', path: '/card', ready: 'Numbers to read out or copy', looks: ['print', 'dark'] },
  {
    name: 'card-not-active',
    path: '/card',
    before: [respond('/me/coverage', { status: 'terminated', memberId: 'SMP100100101' })],
    ready: 'This coverage is not active.',
  },
  { name: 'documents', path: '/documents', ready: 'Explanation of benefits' },
  {
    name: 'documents-empty',
    path: '/documents',
    before: [respond('/me/documents', { documents: [] })],
    ready: 'You have no documents.',
  },
  { name: 'notifications', path: '/notifications', ready: 'Messages we sent you' },
  {
    name: 'notifications-read',
    path: '/notifications',
    steps: [click('Mark all as read')],
    ready: 'All notifications are marked as read.',
    isWindow: true,
  },
  {
    name: 'notifications-empty',
    path: '/notifications',
    before: [respond('/me/notifications', { notifications: [] }), respond('/me/notifications/log', { log: [] })],
    ready: 'Messages we sent you',
  },
];

/** Every page of the portal in every state. A new page is added here. */
export const pageStates: readonly PageState[] = [
  ...dashboardStates,
  ...claimStates,
  ...coverageStates,
  ...accountStates,
  ...searchStates,
  ...errorStates,
];
