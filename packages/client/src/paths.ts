import { type Failure, invalid, type ListQueryInput } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';

/** Appends a locator to a path. Rejects an empty or dot segment, which would change the path; the server checks the rest. */
export const withLocator = (path: string, locator: string): Result<string, Failure> =>
  /^\.{0,2}$/.test(locator)
    ? err(invalid('The locator in the path is not valid.', { path: '/locator', message: 'must not be empty or dots' }))
    : ok(`${path}/${encodeURIComponent(locator.toWellFormed())}`);

export const withQuery = (path: string, query: ListQueryInput): string => {
  const search = typeof query === 'string' ? query.replaceAll('#', '%23') : Array.from(query, parameter).join('&');
  return search === '' ? path : `${path}?${search}`;
};

const parameter = ([name, value]: readonly [name: string, value: string, ...ignored: unknown[]]): string =>
  `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`;
