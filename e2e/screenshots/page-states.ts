/** What the member does before the picture is taken: clicks a button or link by its name, or fills in a field by its label. */
type Step = { readonly click: string } | { readonly fill: string; readonly value: string };

/** A page of the documentation in one state. */
export interface PageState {
  /** The file is `<name>.png` at 1440 pixels, `<name>-360.png` at 360 pixels, and `<name>-dark.png` in dark colours. */
  readonly name: string;
  readonly path: string;
  /** The member who is signed in. Default: `member-a`. */
  readonly member?: 'member-a' | 'member-b' | 'member-c' | 'signed-out';
  readonly steps?: readonly Step[];
  /** A text that the page shows when it is complete. */
  readonly ready: string;
  /** A service that is down. */
  readonly down?: 'claims' | 'consent' | 'documents' | 'eligibility' | 'notifications' | 'policy';
  /** Also in dark colours, at 1440 pixels. */
  readonly hasDark?: boolean;
}

/** Every page of the portal, and its states that members see most. A new page is added here. */
export const pageStates: readonly PageState[] = [
  { name: 'sign-in', path: '/', member: 'signed-out', ready: 'Your coverage, claims and documents' },
  {
    name: 'sign-in-failed',
    path: '/?session_error=denied',
    member: 'signed-out',
    ready: 'the sign-in was cancelled or refused',
  },
  { name: 'dashboard', path: '/', ready: 'Member ID', hasDark: true },
  { name: 'service-down', path: '/', ready: 'This is currently unavailable.', down: 'claims' },
  { name: 'claims', path: '/claims', ready: 'CLM-1001-06' },
  { name: 'claim', path: '/claims/CLM-1001-03', ready: 'What you pay' },
  { name: 'submit-claim', path: '/claims/new', ready: 'Submit' },
  { name: 'costs', path: '/costs', ready: 'At the pharmacy' },
  { name: 'card', path: '/card', ready: 'Numbers to read out or copy' },
  { name: 'notifications', path: '/notifications', ready: 'Messages we sent you' },
  { name: 'preferences', path: '/preferences', ready: 'What you get' },
  { name: 'documents', path: '/documents', ready: 'Explanation of benefits' },
  { name: 'account', path: '/account', ready: 'Electronic delivery' },
  {
    name: 'search',
    path: '/search',
    steps: [{ fill: 'What are you looking for?', value: 'health' }, { click: 'Search' }],
    ready: 'Offers',
  },
  { name: 'not-found', path: '/no-such-page', ready: 'Dashboard' },
];
