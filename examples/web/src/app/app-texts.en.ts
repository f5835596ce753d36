export const app = {
  name: 'Member portal',
  skip: 'Skip to content',
  pages: 'Pages',
  more: 'More',
  language: 'Language',
  signedInAs: (name: string) => `Signed in as ${name}`,
  navigation: {
    dashboard: 'Dashboard',
    claims: 'Claims',
    costs: 'Costs',
    card: 'ID card',
    documents: 'Documents',
    notifications: 'Notifications',
    search: 'Search',
    preferences: 'Preferences',
    account: 'Account',
  },
  /** The link in the header. */
  unread: (count: number) => (count === 0 ? 'Notifications' : `Notifications, ${count} unread`),
  loading: 'Loading …',
  close: 'Close',
  privacy: 'Sign out when you have finished on a shared device.',
};
