import { type Failure, invalid, type QueryByName, type QueryInput, queryPairs } from '@portico/core';
import { err, ok, Result } from 'neverthrow';

/** Appends a locator to a path. Rejects an empty or dot segment, which would change the path; the server checks the rest. */
export const withLocator = (path: string, locator: string): Result<string, Failure> =>
  encodedSegment('locator', locator).map((segment) => `${path}/${segment}`);

/** Inserts the parameters into the path of a declared route, with the rule of `withLocator`. */
export const filledPath = (
  template: string,
  parameters: Readonly<Record<string, string | undefined>>,
): Result<string, Failure> =>
  Result.combine(
    template.split('/').map((segment): Result<string, Failure> => {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name === undefined) return ok(segment);
      return encodedSegment(name, Object.hasOwn(parameters, name) ? (parameters[name] ?? '') : '');
    }),
  ).map((segments) => segments.join('/'));

const encodedSegment = (name: string, value: string): Result<string, Failure> =>
  /^\.{0,2}$/.test(value)
    ? err(invalid(`The ${name} in the path is not valid.`, { path: `/${name}`, message: 'must not be empty or dots' }))
    : ok(encodeURIComponent(value.toWellFormed()));

/**
 * The characters of a segment (RFC 3986, section 3.3). URL parsers would change or remove any other one. An encoded slash or
 * backslash is excluded, because a proxy may decode it.
 */
const segment = /^(?:[\w.~!$&'()*+,;=:@-]|%(?!2f|5c)[\da-f]{2})+$/i;
const dotSegment = /^(?:\.|%2e){1,2}$/i;

/** Accepts `/me` and paths below it without a query. No URL parser makes another path or origin of them. */
export const memberPath = (path: string): Result<string, Failure> => {
  const [start, me, ...segments] = path.split('/');
  return start === '' && me === 'me' && segments.every((one) => segment.test(one) && !dotSegment.test(one))
    ? ok(path)
    : err(
        invalid('The path is not the path of a member route.', {
          path: '/path',
          message: 'must begin with /me/, without "..", query and fragment; percent-encode other characters',
        }),
      );
};

export const withQuery = (path: string, query: QueryInput | QueryByName): string => {
  const search =
    typeof query === 'string' ? query.replaceAll('#', '%23') : Array.from(queryPairs(query), parameter).join('&');
  return search === '' ? path : `${path}?${search}`;
};

const parameter = ([name, value]: readonly [name: string, value: string, ...ignored: unknown[]]): string =>
  `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`;
