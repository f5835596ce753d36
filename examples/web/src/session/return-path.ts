/** The page that signs out. */
export const signOutPath = '/sign-out';

/** The longest path that the server accepts as `return_to`. */
const maxLength = 2048;

/** What the server refuses in the path of a page: a second slash at its start, encoded slashes and control characters. */
const refused = /^\/\/|%(?:[01]|7f|2f|5c)/i;

/** Where to return after a sign-in that began here: the same URL if the server accepts it. */
export const returnPath = ({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string => {
  if (pathname === signOutPath || refused.test(pathname)) return '/';
  // Browsers do not encode a backslash in a query.
  const path = pathname + search.replaceAll('\\', '%5C');
  return [path, pathname].find(({ length }) => length <= maxLength) ?? '/';
};
