import { err, errAsync, ok, type Result, ResultAsync } from 'neverthrow';
import { matches } from './entity-tag.ts';
import { type Failure, notFound, preconditionFailed, type Service } from './failure.ts';
import type { ListQuery } from './list-query.ts';
import type { Member } from './member.ts';
import { isObject, type Json, toJson } from './json/json.ts';

/** The methods that every fake has in addition to its port, to make it fail. */
export interface Fails {
  /** Makes every call fail with this failure, until `failWith(undefined)`. */
  failWith(failure: Failure | undefined): void;
  /** Makes the next call fail with this failure. Can be called several times: the failures are queued. */
  failOnce(failure: Failure): void;
}

/** Creates the `Fails` methods of a fake, and `respond`, which wraps every operation of the fake. */
export const failOnDemand = () => {
  let always: Failure | undefined;
  const once: Failure[] = [];
  return {
    failWith: (failure: Failure | undefined) => {
      always = failure;
    },
    failOnce: (failure: Failure) => void once.push(failure),
    respond: <T>(operation: () => Result<T, Failure> | ResultAsync<T, Failure>): ResultAsync<T, Failure> => {
      const failure = once.shift() ?? always;
      return failure ? errAsync(failure) : new ResultAsync(Promise.resolve(operation()));
    },
  };
};

/** The data of a fake for each member, by party locator. */
export type ByMember<T> = Readonly<Record<string, T>>;

export const recordOf = <T>(service: Service, records: ReadonlyMap<string, T>, member: Member): Result<T, Failure> => {
  const found = records.get(member.locator);
  return found === undefined ? err(notFound(service)) : ok(found);
};

/** One of the items of a member, by its locator. */
export const itemOf = <Item extends { readonly locator: string }>(
  service: Service,
  records: ReadonlyMap<string, readonly Item[]>,
  member: Member,
  locator: string,
): Result<Item, Failure> =>
  recordOf(service, records, member).andThen((own) => {
    const found = own.find((item) => item.locator === locator);
    return found ? ok(found) : err(notFound(service));
  });

/** One writable record per member, with a new entity tag for each version. `null` means that it was never set. */
export const versionedRecords = <T extends object>(
  service: Service,
  members: ByMember<T | null>,
  jsonOf: (record: T) => Json = toJson,
) => {
  const records = new Map(Object.entries(members));
  const versions = new Map<string, number>();
  const versionOf = ({ locator }: Member) => versions.get(locator) ?? 1;
  const etagOf = (member: Member) => (records.get(member.locator) ? `"${versionOf(member)}"` : undefined);
  return {
    read: (member: Member): Result<Json, Failure> =>
      recordOf(service, records, member).andThen((record) =>
        record ? ok({ ...jsonOf(record), etag: etagOf(member)! }) : err(notFound(service)),
      ),
    /** Applies `change` to the record. Fails `precondition-failed` when `ifMatch` names another version. */
    write: (member: Member, ifMatch: string | undefined, change: (before: T | null) => T): Result<Json, Failure> =>
      recordOf(service, records, member).andThen((before) => {
        if (ifMatch !== undefined && !matches(ifMatch, etagOf(member))) return err(preconditionFailed(service));
        const after = change(before);
        records.set(member.locator, after);
        versions.set(member.locator, versionOf(member) + 1);
        return ok(jsonOf(after));
      }),
  };
};

/** Applies a JSON Merge Patch (RFC 7396, section 2). */
export const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
};

/**
 * Applies the list parameters that fakes support: all but `cursor`. `page` counts from 1; `limit` and `pageSize` mean the same. `from` and `to` include their days and compare the ISO date at the path `dateAt`. `sort` is a path such as
 * `provider.name`, or `date` for the one at `dateAt`; a leading `-` reverses the order.
 */
export const select = <Item extends object>(
  items: readonly Item[],
  query: ListQuery,
  dateAt: string,
): readonly Item[] => {
  const parameters: Partial<Record<ListQuery[number][0], string>> = Object.fromEntries(query);
  const { from, to, sort, offset, page, pageSize, limit = pageSize } = parameters;
  const isWanted = (item: Item, name: 'status' | 'type') =>
    parameters[name] === undefined || valueAt(item, name) === parameters[name];
  const isInRange = (item: Item) => {
    const date = String(valueAt(item, dateAt));
    // A day contains all its times, so only as much of a time is compared as `to` has.
    return (!from || date >= from) && (!to || (date !== '' && date.slice(0, to.length) <= to));
  };
  const matching = items.filter((item) => isWanted(item, 'status') && isWanted(item, 'type') && isInRange(item));
  const size = count(limit, items.length);
  const start = offset === undefined ? Math.max(0, count(page, 1) - 1) * size : count(offset, 0);
  return (sort ? sorted(matching, sort, dateAt) : matching).slice(start, start + size);
};

const count = (text: string | undefined, fallback: number): number => Math.max(0, Number(text ?? fallback) || 0);

const sorted = <Item extends object>(items: readonly Item[], sort: string, dateAt: string): readonly Item[] => {
  const name = sort.replace(/^-/, '');
  const path = name === 'date' ? dateAt : name;
  const direction = sort.startsWith('-') ? -1 : 1;
  return items.toSorted((one, other) => direction * compare(valueAt(one, path), valueAt(other, path)));
};

const compare = (one: string | number, other: string | number): number => {
  if (one === other) return 0;
  return one < other ? -1 : 1;
};

/** The string or number at a path such as `provider.name`; `''` for anything else. */
const valueAt = (item: object, path: string): string | number => {
  const value = path
    .split('.')
    .reduce<unknown>((inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined), item);
  return typeof value === 'string' || typeof value === 'number' ? value : '';
};
