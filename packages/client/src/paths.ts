import { type Failure, invalid } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';

/** A path that ends in a locator. Empty or dots alone would be another path; what else a locator may be, the server says. */
export const withLocator = (path: string, locator: string): Result<string, Failure> =>
  /^\.{0,2}$/.test(locator)
    ? err(invalid('The locator in the path is not valid.', { path: '/locator', message: 'must not be empty or dots' }))
    : ok(`${path}/${encodeURIComponent(locator.toWellFormed())}`);

export const withQuery = (path: string, query: Iterable<readonly [string, string]>): string => {
  const text = new URLSearchParams(Array.from(query, ([name, value]) => [name, value])).toString();
  return text === '' ? path : `${path}?${text}`;
};
