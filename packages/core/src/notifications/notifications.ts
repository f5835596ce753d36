import { errAsync, okAsync, type ResultAsync } from 'neverthrow';
import { type Failure, upstream } from '../shared/failure.ts';
import type { Json } from '../shared/json.ts';
import { type ListQueryInput, parseListQuery } from '../shared/list-query.ts';
import type { Member } from '../shared/member.ts';
import type { Notifications } from './notifications.port.ts';
import { parsePreferences, type Preferences, readPreferences } from './preferences.ts';

export type GetPreferences = (member: Member) => ResultAsync<Json, Failure>;

/** Fails `not-found`, code `preferences-not-set`, for a member who has never set any. */
export const getPreferences =
  (notifications: Notifications): GetPreferences =>
  (member) =>
    notifications.preferences(member).mapErr(asNeverSet);

/** Not found, of preferences, has a code of its own (contract, section 3). */
const asNeverSet = (failure: Failure): Failure =>
  failure.kind === 'not-found' ? { ...failure, code: 'preferences-not-set' } : failure;

export type PutPreferences = (member: Member, body: Json) => ResultAsync<Json, Failure>;

/** Replaces all six preferences. */
export const putPreferences =
  (notifications: Notifications): PutPreferences =>
  (member, body) =>
    parsePreferences(body.value)
      .asyncAndThen((preferences) => notifications.replacePreferences(member, preferences))
      .mapErr(asNeverSet);

export type ChangePreferences = (member: Member, change: Partial<Preferences>) => ResultAsync<Json, Failure>;

/**
 * Reads, changes what is named, and writes all six. Where none were ever set, what is not named is not ours to choose:
 * fails `preferences-not-set` unless all six are named.
 */
export const changePreferences =
  (notifications: Notifications): ChangePreferences =>
  (member, change) =>
    current(notifications, member, change)
      .andThen((preferences) => notifications.replacePreferences(member, { ...preferences, ...change }))
      .mapErr(asNeverSet);

const current = (
  notifications: Notifications,
  member: Member,
  change: Partial<Preferences>,
): ResultAsync<Preferences, Failure> => {
  const whole = readPreferences(change);
  if (whole) return okAsync(whole);
  return notifications.preferences(member).andThen(({ value }) => {
    const found = readPreferences(value);
    return found ? okAsync(found) : errAsync(upstream('notifications', 'malformed'));
  });
};

export type ListNotifications = (member: Member, query: ListQueryInput) => ResultAsync<Json, Failure>;

export const listNotifications =
  (notifications: Notifications): ListNotifications =>
  (member, query) =>
    parseListQuery(query).asyncAndThen((known) => notifications.list(member, known));

export type ReadNotificationLog = (member: Member, query: ListQueryInput) => ResultAsync<Json, Failure>;

export const readNotificationLog =
  (notifications: Notifications): ReadNotificationLog =>
  (member, query) =>
    parseListQuery(query).asyncAndThen((known) => notifications.log(member, known));
