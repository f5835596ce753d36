import { err, errAsync, ok, okAsync, ResultAsync } from 'neverthrow';
import { type Failure, notFound, preconditionFailed, type Service, upstreamStatus } from '../shared/failure.ts';
import { type Json, toJson } from '../shared/json/json.ts';
import type { ListQuery } from '../shared/list-query.ts';
import { aMember } from '../shared/member.fake.ts';
import type { Member } from '../shared/member.ts';

/** The members of the subjects: one with data, another one, and one who does not exist in the service. */
export const member = aMember('PTY-1', 'token.of.PTY-1');
export const other = aMember('PTY-2', 'token.of.PTY-2');
export const unknown = aMember('PTY-3', 'token.of.PTY-3');

type Operation<Args extends readonly unknown[], T> = (member: Member, ...args: Args) => ResultAsync<T, Failure>;
export type Read = (member: Member) => ResultAsync<Json, Failure>;
export type Write<Value> = (member: Member, value: Value, ifMatch?: string) => ResultAsync<Json, Failure>;
type List = (member: Member, query: ListQuery) => ResultAsync<Json, Failure>;

/** Makes a call once the event loop has turned. */
export const later = <T>(call: () => ResultAsync<T, Failure>): ResultAsync<T, Failure> =>
  ResultAsync.fromSafePromise(Promise.resolve()).andThen(call);

/** An operation in which calls that overlap use the member of the last one. */
export const mixingMembers = <Args extends readonly unknown[], T>(
  operation: Operation<Args, T>,
): Operation<Args, T> => {
  let current: Member;
  return (of, ...args) => {
    current = of;
    return later(() => operation(current, ...args));
  };
};

/** Makes every call for the first member. */
export const asFirstMember =
  <Args extends readonly unknown[], T>(operation: Operation<Args, T>): Operation<Args, T> =>
  (_, ...args) =>
    operation(member, ...args);

/** Makes the calls of each of the two members for the other one. */
export const swappingMembers =
  <Args extends readonly unknown[], T>(operation: Operation<Args, T>): Operation<Args, T> =>
  (of, ...args) =>
    operation(of === unknown ? of : of === member ? other : member, ...args);

/** Fails with status 404 of the service instead of not-found. */
export const missingAsStatus =
  <Args extends readonly unknown[], T>(service: Service, operation: Operation<Args, T>): Operation<Args, T> =>
  (of, ...args) =>
    operation(of, ...args).mapErr((failure) => (failure.kind === 'not-found' ? upstreamStatus(service, 404) : failure));

/** Fails not-found, whatever failed. */
export const failuresAsMissing =
  <Args extends readonly unknown[], T>(service: Service, operation: Operation<Args, T>): Operation<Args, T> =>
  (of, ...args) =>
    operation(of, ...args).mapErr(() => notFound(service));

/** Returns what was read before when the source fails. */
export const lastKnown = <Args extends readonly unknown[], T>(operation: Operation<Args, T>): Operation<Args, T> => {
  const known = new Map<string, T>();
  return (of, ...args) =>
    operation(of, ...args)
      .andTee((value) => known.set(of.locator, value))
      .orElse((failure) => {
        const last = known.get(of.locator);
        return failure.kind === 'upstream' && last !== undefined ? ok(last) : err(failure);
      });
};

/** Keeps the first result of each member. */
export const cachedByMember = <Args extends readonly unknown[], T>(
  operation: Operation<Args, T>,
): Operation<Args, T> => {
  const cache = new Map<string, ResultAsync<T, Failure>>();
  return (of, ...args) => {
    const known = cache.get(of.locator) ?? operation(of, ...args);
    cache.set(of.locator, known);
    return known;
  };
};

/** Keeps results by this key, from the second success on. */
export const cachedFromSecond = <Args extends readonly unknown[], T>(
  operation: (...args: Args) => ResultAsync<T, Failure>,
  keyOf: (...args: Args) => string,
): ((...args: Args) => ResultAsync<T, Failure>) => {
  const cache = new Map<string, T>();
  const seen = new Set<string>();
  return (...args) => {
    const key = keyOf(...args);
    const cached = cache.get(key);
    if (cached !== undefined) return okAsync(cached);
    return operation(...args).andTee((value) => {
      if (seen.has(key)) cache.set(key, value);
      seen.add(key);
    });
  };
};

/** Returns the entity tag of the version before from a write. */
export const returningOldEntityTag =
  <Value>(read: Read, write: Write<Value>): Write<Value> =>
  (of, ...args) =>
    read(of).andThen(({ etag = '' }) => write(of, ...args).map((json) => ({ ...json, etag })));

export const ignoringQuery =
  (list: List): List =>
  (of) =>
    list(of, []);

export const applyingFirstParameter =
  (list: List): List =>
  (of, query) =>
    list(of, query.slice(0, 1));

export const emptyForQueries =
  (list: List, empty: object): List =>
  (of, query) =>
    query.length > 0 ? okAsync(toJson(empty)) : list(of, query);

/** Changes every value that is read, and keeps its entity tag. */
export const showing =
  (change: (value: object) => object) =>
  (read: Read): Read =>
  (of) =>
    read(of).map(({ value, etag = '' }) => ({ ...toJson(change(value as object)), etag }));

/** The value with its fields in another order. */
export const reversed = (value: object): object => reverse(value) as object;

const reverse = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reverse);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, reverse(inner)]);
  return Object.fromEntries(fields.toReversed());
};

export const ignoringEntityTag =
  <Value>(write: Write<Value>): Write<Value> =>
  (of, value) =>
    write(of, value);

/** Compares only the entity tag of the first version. */
export const acceptingOtherEntityTags =
  <Value>(write: Write<Value>): Write<Value> =>
  (of, value, ifMatch) =>
    write(of, value, ifMatch === '"1"' ? ifMatch : undefined);

/** Compares the entity tag first, and writes once the event loop has turned. */
export const racing =
  <Value>(service: Service, read: Read, write: Write<Value>): Write<Value> =>
  (of, value, ifMatch) =>
    ifMatch === undefined
      ? write(of, value)
      : read(of)
          .andThen(({ etag }) => (etag === ifMatch ? ok(value) : err(preconditionFailed(service))))
          .andThen(() => later(() => write(of, value)));

/** Reports the failure of a write, but writes. */
export const writingAlthoughFailed =
  <Value>(write: Write<Value>): Write<Value> =>
  (of, value, ifMatch) =>
    write(of, value, ifMatch).orElse((failure) => write(of, value).andThen(() => errAsync(failure)));

export const writingForBothMembers =
  <Value>(write: Write<Value>): Write<Value> =>
  (of, value, ifMatch) =>
    write(of, value, ifMatch).andThen((json) => write(of === member ? other : member, value).map(() => json));

/** Reports a write as done without writing. */
export const losingWrites =
  <Value extends object>(): Write<Value> =>
  (_, value) =>
    okAsync('text' in value ? (value as unknown as Json) : toJson(value));

/** Reports a write as done when the source fails. */
export const doneWhenSourceFails =
  <Value extends object>(write: Write<Value>): Write<Value> =>
  (of, value, ifMatch) =>
    write(of, value, ifMatch).orElse((failure) =>
      failure.kind === 'upstream' ? losingWrites<Value>()(of, value) : errAsync(failure),
    );

/** Reports the write of an unknown member as done. */
export const acceptingUnknownMembers =
  <Value extends object>(write: Write<Value>): Write<Value> =>
  (of, value, ifMatch) =>
    of === unknown ? losingWrites<Value>()(of, value) : write(of, value, ifMatch);

/** Writes, and returns what the first member has. */
export const returningFirstMember =
  <Value>(read: Read, write: Write<Value>): Write<Value> =>
  (...args) =>
    write(...args).andThen(() => read(member));
