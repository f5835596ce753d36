import { err, ok, type Result } from 'neverthrow';
import { type Failure, invalid, pointerToken } from './failure.ts';

const names = ['page', 'pageSize', 'limit', 'cursor', 'offset', 'sort', 'status', 'type', 'from', 'to'] as const;

/** What a list may be asked for, in the order given. Values are the downstream's business and pass unread. */
export type ListQuery = readonly (readonly [name: (typeof names)[number], value: string])[];

const isKnown = (name: string): name is (typeof names)[number] => (names as readonly string[]).includes(name);

/** Refuses every parameter that lists do not relay, by name (contract, section 2). */
export const parseListQuery = (query: Iterable<readonly [string, string]>): Result<ListQuery, Failure> => {
  const known: [(typeof names)[number], string][] = [];
  const unknown = new Set<string>();
  for (const [name, value] of query) {
    if (isKnown(name)) known.push([name, value]);
    else unknown.add(name.slice(0, 64));
  }
  if (unknown.size === 0) return ok(known);
  const some = [...unknown].slice(0, 20);
  return err(
    invalid(
      `This list has no such query parameter: ${some.join(', ')}.`,
      ...some.map((name) => ({ path: `/${pointerToken(name)}`, message: `is not one of ${names.join(', ')}` })),
    ),
  );
};
