import { err, errAsync, ok, type Result, ResultAsync } from 'neverthrow';
import { matches } from './entity-tag.ts';
import { type Failure, notFound, preconditionFailed, type Service } from './failure.ts';
import { type Json, toJson } from './json.ts';
import type { ListQuery } from './list-query.ts';
import type { Member } from './member.ts';

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

/** One writable record per member, with a new entity tag for each version. `null` means that it was never set. */
export const versionedRecords = <T extends object>(service: Service, members: ByMember<T | null>) => {
  const records = new Map(Object.entries(members));
  const versions = new Map<string, number>();
  const versionOf = ({ locator }: Member) => versions.get(locator) ?? 1;
  const etagOf = (member: Member) => (records.get(member.locator) ? `"${versionOf(member)}"` : undefined);
  return {
    read: (member: Member): Result<Json, Failure> =>
      recordOf(service, records, member).andThen((record) =>
        record ? ok({ ...toJson(record), etag: etagOf(member)! }) : err(notFound(service)),
      ),
    /** Applies `change` to the record. Fails `precondition-failed` when `ifMatch` names another version. */
    write: (member: Member, ifMatch: string | undefined, change: (before: T | null) => T): Result<Json, Failure> =>
      recordOf(service, records, member).andThen((before) => {
        if (ifMatch !== undefined && !matches(ifMatch, etagOf(member))) return err(preconditionFailed(service));
        const after = change(before);
        records.set(member.locator, after);
        versions.set(member.locator, versionOf(member) + 1);
        return ok(toJson(after));
      }),
  };
};

/** Applies the list parameters that fakes support: `status`, `type`, `offset`, `limit` and `pageSize`. */
export const select = <Item extends object>(items: readonly Item[], query: ListQuery): readonly Item[] => {
  const parameters = new Map<string, string>(query.map(([name, value]) => [name, value]));
  const matches = (item: Item) =>
    ['status', 'type'].every(
      (name) => !parameters.has(name) || (item as Record<string, unknown>)[name] === parameters.get(name),
    );
  const count = (name: string, fallback: number) => Math.max(0, Number(parameters.get(name) ?? fallback) || 0);
  const offset = count('offset', 0);
  const limit = count('limit', count('pageSize', items.length));
  return items.filter(matches).slice(offset, offset + limit);
};
