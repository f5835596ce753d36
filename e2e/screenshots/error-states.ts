import { problemUri, serviceNames, sessionErrorParameter, signInErrors } from '@portico/core';
import { fillClaim } from '../browser/claim-form.ts';
import type { PageState } from './page-state.ts';
import * as steps from './steps.ts';

/** Problem details as Portico sends them (contract, section 3). */
const problem = (status: number, code: string, detail: string) => ({
  type: problemUri(code),
  status,
  code,
  detail,
});

/** Before sign-in, and at the end of a session. */
const sessionStates: readonly PageState[] = [
  { name: 'sign-in', path: '/', member: 'signed-out', ready: 'Your coverage, claims and documents' },
  ...signInErrors.map((code): PageState => ({
    name: `sign-in-${code}`,
    path: `/?${sessionErrorParameter}=${code}`,
    member: 'signed-out',
    ready: 'Sign in',
  })),
  {
    name: 'session-unknown',
    path: '/',
    member: 'signed-out',
    before: [steps.unreachable('/session')],
    ready: 'Your session could not be checked.',
  },
  {
    name: 'session-ends-soon',
    path: '/preferences',
    steps: [steps.endSessionSoon, steps.showTab],
    ready: 'You will be signed out soon',
    isWindow: true,
  },
  {
    name: 'session-ended',
    path: '/preferences',
    steps: [steps.respond('/session', { authenticated: false }), steps.showTab],
    ready: 'Your session has ended.',
  },
  {
    name: 'session-ended-unsaved',
    path: '/preferences',
    steps: [steps.click('Text message'), steps.respond('/session', { authenticated: false }), steps.showTab],
    ready: 'Your session has ended.',
  },
  {
    name: 'signed-out-elsewhere',
    path: '/preferences',
    steps: [steps.waitFor('What you get'), steps.signOutElsewhere],
    ready: 'Your coverage, claims and documents',
  },
  {
    name: 'sign-out-failed',
    path: '/',
    steps: [steps.respond('/session/logout', {}, { status: 503 }), steps.click('Sign out')],
    ready: 'Signing out failed',
  },
  {
    name: 'not-accepted',
    path: '/claims',
    before: [steps.respond('/me/.*', problem(401, 'unauthenticated', 'The token is not valid.'), { status: 401 })],
    ready: 'this service does not accept your sign-in',
  },
];

/** Services, networks and servers that fail. */
const failureStates: readonly PageState[] = [
  { name: 'service-down', path: '/', before: [steps.down('claims')], ready: 'unavailable' },
  { name: 'dashboard-down', path: '/', before: [steps.down(...serviceNames)], ready: 'unavailable' },
  {
    name: 'dashboard-partial',
    path: '/',
    before: [steps.down('documents'), steps.faulty({ kind: 'black-hole' }, 'claims')],
    steps: [steps.waitFor('unavailable')],
    ready: 'Member ID',
    isLoading: true,
  },
  { name: 'claims-down', path: '/claims', before: [steps.down('claims')], ready: 'unavailable' },
  { name: 'claim-down', path: '/claims/CLM-1001-02', before: [steps.down('claims')], ready: 'unavailable' },
  { name: 'costs-down', path: '/costs', before: [steps.down('eligibility')], ready: 'unavailable' },
  { name: 'card-down', path: '/card', before: [steps.down('eligibility', 'documents')], ready: 'unavailable' },
  { name: 'documents-down', path: '/documents', before: [steps.down('documents')], ready: 'unavailable' },
  { name: 'notifications-down', path: '/notifications', before: [steps.down('notifications')], ready: 'unavailable' },
  { name: 'preferences-down', path: '/preferences', before: [steps.down('notifications')], ready: 'unavailable' },
  { name: 'account-down', path: '/account', before: [steps.down('policy', 'consent')], ready: 'unavailable' },
  {
    name: 'submit-claim-down',
    path: '/claims/new',
    steps: [({ page }) => fillClaim(page), steps.down('claims'), steps.click('Submit claim')],
    ready: 'We do not know whether your claim has arrived',
  },
  {
    name: 'save-forbidden',
    path: '/preferences',
    steps: [
      steps.respond('/me/preferences', problem(403, 'insufficient-scope', 'The token lacks a scope.'), {
        method: 'PUT',
        status: 403,
        headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="preferences"' },
      }),
      steps.click('Text message'),
      steps.click('Save preferences'),
    ],
    ready: 'Not saved',
  },
  {
    name: 'offline',
    path: '/',
    steps: [steps.loadAllPages, steps.goOffline, steps.click('Claims')],
    ready: 'You are offline',
  },
  {
    name: 'server-unreachable',
    path: '/claims',
    before: [steps.unreachable('/me/.*')],
    ready: 'Cannot reach the server',
  },
  {
    name: 'rate-limited',
    path: '/claims',
    before: [
      steps.respond('/me/.*', problem(429, 'rate-limited', 'Too many requests.'), {
        status: 429,
        headers: { 'retry-after': '30' },
      }),
    ],
    ready: 'Too many requests',
  },
  {
    name: 'odd-response',
    path: '/claims',
    before: [steps.respond('/me/claims', { claims: [null] })],
    ready: 'cannot be shown',
  },
  { name: 'search-failed', path: '/search?q=health', before: [steps.unreachable('/api/search')], ready: 'interrupted' },
  { name: 'not-found', path: '/no-such-page', ready: 'Page not found' },
];

export const errorStates: readonly PageState[] = [...sessionStates, ...failureStates];
