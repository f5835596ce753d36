import { err, ok, type Result } from 'neverthrow';
import { type Failure, invalid, listedNames, pointerToken } from './failure.ts';

const names = ['page', 'pageSize', 'limit', 'cursor', 'offset', 'sort', 'status', 'type', 'from', 'to'] as const;

type Name = (typeof names)[number];

/**
 * The parameters of a list, in order. Parameters from a URL also have `written`: the percent-encoded value as sent by
 * the client, which is relayed byte for byte. It contains no character that ends the parameter or the query.
 */
export type ListQuery = readonly (readonly [name: Name, value: string, written?: string])[];

/** The query of a URL as the client sent it, without `?`; or names and decoded values. */
export type QueryInput = string | Iterable<Pair>;

type Pair = readonly [name: string, value: string, ...ignored: unknown[]];

/** Decoded values by name. One that is undefined is left out. */
export type QueryByName<Known extends string = string> = { readonly [Name in Known]?: string | undefined };

export type ListQueryInput = QueryInput | QueryByName<Name>;

/**
 * Parses the query of a list (contract, section 2). Fails `invalid` for unknown parameters and for values that are not
 * percent-encoded UTF-8, and names them.
 */
export const parseListQuery = (query: ListQueryInput): Result<ListQuery, Failure> => parseQuery(query, names);

/** The parameters of a query, in order, in the same form as a `ListQuery`. */
type Query<Known extends string> = readonly (readonly [name: Known, value: string, written?: string])[];

/** The same for any set of known parameters. */
export const parseQuery = <Known extends string>(
  query: QueryInput | QueryByName,
  known: readonly Known[],
): Result<Query<Known>, Failure> => {
  const parameters: readonly Parameter[] =
    typeof query === 'string' ? parametersIn(query) : Array.from(queryPairs(query), ([name, value]) => [name, value]);
  const unknown = parameters.filter(([name]) => !(known as readonly string[]).includes(name));
  if (unknown.length > 0) return refuse('Unknown query parameter', unknown, unknownParameter(known));
  // JavaScript can pass any value.
  const unreadable = parameters.filter(([, value]) => typeof value !== 'string' || !value.isWellFormed());
  return unreadable.length > 0
    ? refuse('Invalid query parameter value', unreadable, 'must be percent-encoded UTF-8')
    : ok(parameters as Query<Known>);
};

/** The names and values of a query that is not the one of a URL. */
export const queryPairs = (query: Iterable<Pair> | QueryByName): Iterable<Pair> =>
  Symbol.iterator in query
    ? query
    : Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));

const unknownParameter = (known: readonly string[]): string =>
  `unknown parameter; ${known.length === 0 ? 'the route has none' : `expected one of ${known.join(', ')}`}`;

/** `value` is undefined when it is not valid UTF-8. */
type Parameter = readonly [name: string, value: string | undefined, written?: string];

const parametersIn = (query: string): readonly Parameter[] =>
  query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name, ...rest] = part.split('=') as [string, ...string[]];
      const value = rest.join('=');
      return [decoded(name) ?? name, decoded(value), safe(value)];
    });

/** Decodes a form-encoded value, in which `+` is a space. */
const decoded = (written: string): string | undefined => {
  try {
    return /^[!-~]*$/.test(written) ? decodeURIComponent(written.replaceAll('+', ' ')) : undefined;
  } catch {
    return undefined;
  }
};

/** Encodes `;`, which some servers treat like `&`, and `#`, which ends a query. */
const safe = (written: string): string => written.replaceAll(';', '%3B').replaceAll('#', '%23');

const refuse = (detail: string, refused: readonly Parameter[], message: string): Result<never, Failure> => {
  const some = listedNames(refused.map(([name]) => name));
  return err(
    invalid(`${detail}: ${some.join(', ')}.`, ...some.map((name) => ({ path: `/${pointerToken(name)}`, message }))),
  );
};
