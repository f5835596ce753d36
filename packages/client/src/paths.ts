import { type Failure, invalid, type ListQueryInput } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';

/** A path that ends in a locator. Empty or dots alone would be another path; what else a locator may be, the server says. */
export const withLocator = (path: string, locator: string): Result<string, Failure> =>
  /^\.{0,2}$/.test(locator)
    ? err(invalid('The locator in the path is not valid.', { path: '/locator', message: 'must not be empty or dots' }))
    : ok(`${path}/${encodeURIComponent(locator.toWellFormed())}`);

export const withQuery = (path: string, query: ListQueryInput): string => {
  const written = typeof query === 'string' ? query.replaceAll('#', '%23') : Array.from(query, parameter).join('&');
  return written === '' ? path : `${path}?${written}`;
};

const parameter = ([name, value]: readonly [name: string, value: string, ...ignored: unknown[]]): string =>
  `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`;
