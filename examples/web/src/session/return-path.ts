/** The page that signs out. */
export const signOutPath = '/sign-out';

/** Where to return after a sign-in that began here. */
export const returnPath = ({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string =>
  pathname === signOutPath ? '/' : pathname + search;
