import type { ServiceName } from '@portico/core';
import type { ComponentType } from 'react';
import { submittedPath } from '../claims/claim.ts';
import type { IconName } from '../design/icon.tsx';
import type { Texts } from '../texts/en.ts';

/** A page of the portal. Its module is loaded when the member opens it. */
export interface PageRoute {
  readonly path: string;
  readonly load: () => Promise<ComponentType>;
}

/** A part of the portal, with a place in the navigation. */
export interface Area {
  /** The first path is that of the navigation. */
  readonly pages: readonly [PageRoute, ...PageRoute[]];
  readonly label: keyof Texts['app']['navigation'];
  readonly icon: IconName;
  /** `header`: a link in the header, not in the navigation. */
  readonly place?: 'header';
  /** The area is shown if Portico serves one of these services. Default: always. */
  readonly services?: readonly ServiceName[];
}

/** In the order of the navigation. On small screens, the first four are always visible. */
export const areas: readonly Area[] = [
  {
    pages: [{ path: '/', load: async () => (await import('../dashboard/dashboard.tsx')).Dashboard }],
    label: 'dashboard',
    icon: 'house',
  },
  {
    pages: [
      { path: '/claims', load: async () => (await import('../claims/pages.ts')).ClaimsPage },
      { path: '/claims/new', load: async () => (await import('../claims/pages.ts')).SubmitPage },
      {
        path: submittedPath,
        load: async () => (await import('../claims/pages.ts')).SubmittedPage,
      },
      { path: '/claims/:locator', load: async () => (await import('../claims/pages.ts')).ClaimPage },
    ],
    label: 'claims',
    icon: 'claims',
    services: ['claims'],
  },
  {
    pages: [{ path: '/costs', load: async () => (await import('../costs/costs-page.tsx')).CostsPage }],
    label: 'costs',
    icon: 'costs',
    services: ['eligibility'],
  },
  {
    pages: [{ path: '/card', load: async () => (await import('../card/card-page.tsx')).CardPage }],
    label: 'card',
    icon: 'card',
    services: ['eligibility'],
  },
  {
    pages: [{ path: '/documents', load: async () => (await import('../documents/documents-page.tsx')).DocumentsPage }],
    label: 'documents',
    icon: 'documents',
    services: ['documents'],
  },
  {
    pages: [
      {
        path: '/notifications',
        load: async () => (await import('../notifications/notifications-page.tsx')).NotificationsPage,
      },
    ],
    label: 'notifications',
    icon: 'bell',
    place: 'header',
    services: ['notifications'],
  },
  {
    pages: [{ path: '/search', load: async () => (await import('../search/search-page.tsx')).SearchPage }],
    label: 'search',
    icon: 'search',
  },
  {
    pages: [
      { path: '/preferences', load: async () => (await import('../preferences/preferences-page.tsx')).PreferencesPage },
    ],
    label: 'preferences',
    icon: 'preferences',
    services: ['notifications'],
  },
  {
    pages: [{ path: '/account', load: async () => (await import('../account/account-page.tsx')).AccountPage }],
    label: 'account',
    icon: 'account',
    services: ['policy', 'consent'],
  },
];
