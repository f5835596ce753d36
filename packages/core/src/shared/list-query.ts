import { err, ok, type Result } from 'neverthrow';
import { type Failure, invalid, pointerToken } from './failure.ts';

const names = ['page', 'pageSize', 'limit', 'cursor', 'offset', 'sort', 'status', 'type', 'from', 'to'] as const;

type Name = (typeof names)[number];

/**
 * The parameters of a list, in order. Parameters from a URL also have `written`: the percent-encoded value as sent by
 * the client, which is relayed byte for byte. It contains no character that ends the parameter or the query.
 */
export type ListQuery = readonly (readonly [name: Name, value: string, written?: string])[];

/** The query of a URL as the client sent it, without `?`; or names and decoded values. */
export type ListQueryInput = string | Iterable<readonly [name: string, value: string, ...ignored: unknown[]]>;

/**
 * Parses the query of a list (contract, section 2). Fails `invalid` for unknown parameters and for values that are not
 * percent-encoded UTF-8, and names them.
 */
export const parseListQuery = (query: ListQueryInput): Result<ListQuery, Failure> => {
  const parameters: readonly Parameter[] =
    typeof query === 'string' ? parametersIn(query) : Array.from(query, ([name, value]) => [name, value]);
  const unknown = parameters.filter(([name]) => !isKnown(name));
  if (unknown.length > 0)
    return refuse('Unknown query parameter', unknown, `unknown parameter; expected one of ${names.join(', ')}`);
  const unreadable = parameters.filter(([, value]) => !value?.isWellFormed());
  return unreadable.length > 0
    ? refuse('Invalid query parameter value', unreadable, 'must be percent-encoded UTF-8')
    : ok(parameters as ListQuery);
};

/** `value` is undefined when it is not valid UTF-8. */
type Parameter = readonly [name: string, value: string | undefined, written?: string];

const isKnown = (name: string): name is Name => (names as readonly string[]).includes(name);

const parametersIn = (query: string): readonly Parameter[] =>
  query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', ...rest] = part.split('=');
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
  const some = [...new Set(refused.map(([name]) => name.slice(0, 64)))].slice(0, 20);
  return err(
    invalid(`${detail}: ${some.join(', ')}.`, ...some.map((name) => ({ path: `/${pointerToken(name)}`, message }))),
  );
};
