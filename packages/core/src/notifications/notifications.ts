import { errAsync, type ResultAsync } from 'neverthrow';
import { parseIfMatch } from '../shared/entity-tag.ts';
import { type Failure, upstream } from '../shared/failure.ts';
import type { Json } from '../shared/json/json.ts';
import { type ListQueryInput, parseListQuery } from '../shared/list-query.ts';
import type { Member } from '../shared/member.ts';
import type { Notifications } from './notifications.port.ts';
import { changed, parsePreferences, type Preferences, readPreferences } from './preferences.ts';

export type GetPreferences = (member: Member) => ResultAsync<Json, Failure>;

/** Returns the member's preferences. Fails `not-found` with the code `preferences-not-set` when they were never set. */
export const getPreferences =
  (notifications: Notifications): GetPreferences =>
  (member) =>
    notifications.preferences(member).mapErr(asNeverSet);

/** Preferences that are not found have a special code (contract, section 3). */
const asNeverSet = (failure: Failure): Failure =>
  failure.kind === 'not-found' ? { ...failure, code: 'preferences-not-set' } : failure;

export type PutPreferences = (member: Member, body: Json, ifMatch?: string) => ResultAsync<Json, Failure>;

/**
 * Replaces all six preferences. With `ifMatch`, the `etag` of an earlier read, it fails `precondition-failed` when they
 * were changed in the meantime.
 */
export const putPreferences =
  (notifications: Notifications): PutPreferences =>
  (member, body, ifMatch) =>
    parseIfMatch(ifMatch)
      .andThen(() => parsePreferences(body.value))
      .asyncAndThen((preferences) => notifications.replacePreferences(member, preferences, ifMatch))
      .mapErr(asNeverSet);

export type ChangePreferences = (member: Member, change: Partial<Preferences>) => ResultAsync<Json, Failure>;

/**
 * Reads the preferences, applies the change, and writes all six. If the service sends entity tags, the write is
 * conditional: after a concurrent change it reads and writes again, twice at most, then fails `precondition-failed`.
 * Fails `preferences-not-set` when none were ever set, unless the change names all six. A field of the change that is
 * undefined changes nothing; an unknown one, or one that is not a boolean, fails `invalid`.
 */
export const changePreferences =
  (notifications: Notifications): ChangePreferences =>
  (member, change) =>
    readAndWritePreferences(
      () => notifications.preferences(member),
      (preferences, etag) => notifications.replacePreferences(member, preferences, etag),
      change,
    ).mapErr(asNeverSet);

/**
 * Reads, changes and writes preferences with these two functions, as `changePreferences` does. It repeats this at most
 * `retries` times if the preferences changed in between. The functions may have further kinds of failures.
 */
export const readAndWritePreferences = <Value extends Json, Error extends { readonly kind: string }>(
  read: () => ResultAsync<Value, Error | Failure>,
  write: (preferences: Preferences, etag: string | undefined) => ResultAsync<Value, Error | Failure>,
  change: Partial<Preferences>,
  retries = 2,
): ResultAsync<Value, Error | Failure> => {
  const whole = readPreferences(change);
  const written = whole
    ? changed(whole, change).asyncAndThen((preferences) => write(preferences, undefined))
    : read().andThen(({ value, etag }) => {
        const preferences = readPreferences(value);
        return preferences
          ? changed(preferences, change).asyncAndThen((after) => write(after, etag))
          : errAsync(upstream('notifications', 'malformed'));
      });
  return written.orElse((failure) =>
    failure.kind === 'precondition-failed' && retries > 0
      ? readAndWritePreferences(read, write, change, retries - 1)
      : errAsync(failure),
  );
};

export type ListNotifications = (member: Member, query?: ListQueryInput) => ResultAsync<Json, Failure>;

export const listNotifications =
  (notifications: Notifications): ListNotifications =>
  (member, query = '') =>
    parseListQuery(query).asyncAndThen((known) => notifications.list(member, known));

export type ReadNotificationLog = (member: Member, query?: ListQueryInput) => ResultAsync<Json, Failure>;

export const readNotificationLog =
  (notifications: Notifications): ReadNotificationLog =>
  (member, query = '') =>
    parseListQuery(query).asyncAndThen((known) => notifications.log(member, known));
