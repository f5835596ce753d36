import { err, errAsync, ok, type Result, ResultAsync } from 'neverthrow';
import { matches } from './entity-tag.ts';
import { type Failure, notFound, preconditionFailed, type Service } from './failure.ts';
import { type Json, toJson } from './json.ts';
import type { ListQuery } from './list-query.ts';
import type { Member } from './member.ts';

/** What every fake has in addition to its port: it fails on demand. */
export interface Fails {
  /** Makes every call fail with this failure, until `failWith(undefined)`. */
  failWith(failure: Failure | undefined): void;
  /** Makes the next call fail with this failure; used n times, the next n calls, in this order. */
  failOnce(failure: Failure): void;
}

/** The `Fails` of a fake, and `answer`, which every operation of the fake goes through. */
export const failsOnPurpose = () => {
  let always: Failure | undefined;
  const once: Failure[] = [];
  return {
    failWith: (failure: Failure | undefined) => {
      always = failure;
    },
    failOnce: (failure: Failure) => void once.push(failure),
    answer: <T>(give: () => Result<T, Failure> | ResultAsync<T, Failure>): ResultAsync<T, Failure> => {
      const failure = once.shift() ?? always;
      return failure ? errAsync(failure) : new ResultAsync(Promise.resolve(give()));
    },
  };
};

/** What a fake knows of each member, by party locator. */
export type ByMember<T> = Readonly<Record<string, T>>;

export const recordOf = <T>(service: Service, records: ReadonlyMap<string, T>, member: Member): Result<T, Failure> => {
  const found = records.get(member.locator);
  return found === undefined ? err(notFound(service)) : ok(found);
};

/** What the members of a service can change; null is what was never set. Each version has an entity tag of its own. */
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
    /** Writes what `change` makes of the record, unless `ifMatch` names another version. */
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

/** The part of the list parameters that a fake understands: `status`, `type`, `offset`, `limit` and `pageSize`. */
export const select = <Item extends object>(items: readonly Item[], query: ListQuery): readonly Item[] => {
  const asked = new Map<string, string>(query.map(([name, value]) => [name, value]));
  const matches = (item: Item) =>
    ['status', 'type'].every((name) => !asked.has(name) || (item as Record<string, unknown>)[name] === asked.get(name));
  const count = (name: string, otherwise: number) => Math.max(0, Number(asked.get(name) ?? otherwise) || 0);
  const offset = count('offset', 0);
  const limit = count('limit', count('pageSize', items.length));
  return items.filter(matches).slice(offset, offset + limit);
};
