export const session = {
  signIn: 'Sign in',
  signInAgain: 'Sign in again',
  signOut: 'Sign out',
  signingIn: 'Signing in …',
  signingOut: 'Signing out …',
  welcome: 'Your coverage, claims and documents, and how we keep in touch.',
  signInErrors: {
    denied: 'You are not signed in: the sign-in was cancelled or refused. You can try again.',
    expired: 'The sign-in took too long, or was started in another browser or tab. Please sign in again.',
    unavailable: 'Sign-in is currently unavailable. Please try again in a few minutes.',
    failed: 'Sign-in failed. Please try again. If it fails again, contact us.',
  },
  ended: 'Your session has ended. Sign in again to continue where you were.',
  signOutIncomplete:
    'You are signed out here, but your sign-in provider may still have a session. On a shared device, sign out there, too.',
  signOutFailed: 'Signing out failed: you are still signed in. Check your internet connection and try again.',
  notAccepted: 'You are signed in, but this service does not accept your sign-in. Sign out, then sign in again.',
  unavailable: 'Your session could not be checked.',
  endsSoon: {
    title: 'You will be signed out soon',
    body: (time: string) => `For your security, your session ends at ${time}. Unsaved changes stay on this page.`,
    stay: 'Stay signed in',
  },
};
