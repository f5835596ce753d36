export const errors = {
  offline: 'You are offline. Check your internet connection.',
  unreachable: 'Cannot reach the server. Check your internet connection.',
  notAvailable: 'This is currently unavailable. Try again in a few minutes.',
  sessionEnded: 'Your session has ended.',
  notFound: 'This could not be found.',
  tooManyRequests: (seconds: number) =>
    `Too many requests. Try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`,
  serverError: 'The server returned an error. Try again in a few minutes.',
  unknown: 'Something went wrong.',
  notAccepted: 'The server did not accept this.',
  cannotBeShown: 'This cannot be shown. Try again later, or contact us.',
  reference: 'Reference',
  tryAgain: 'Try again',
  /** What a member can do, besides trying again. */
  whatToDo: 'If this happens again, contact us and give this reference.',
  summary: 'There is a problem',
  broken: {
    title: 'This page cannot be shown',
    body: 'Something went wrong. Please try again later.',
    reload: 'Reload the page',
  },
};
