import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json.ts';
import type { ListQuery } from '../shared/list-query.ts';
import type { Member } from '../shared/member.ts';
import type { Preferences } from './preferences.ts';

/** The notifications service, seen by one member at a time. */
export interface Notifications {
  /** With their entity tag, where the service gives one. Fails `not-found` for a member who has never set preferences. */
  preferences(member: Member): ResultAsync<Json, Failure>;
  /** Those of whoever the token speaks for, asked for without naming a party. Fails `not-found` when never set. */
  ownPreferences(member: Member): ResultAsync<Json, Failure>;
  /** Fails `precondition-failed` and writes nothing when `ifMatch` does not name the version that is there. */
  replacePreferences(member: Member, preferences: Preferences, ifMatch?: string): ResultAsync<Json, Failure>;
  /** `{notifications: […]}` */
  list(member: Member, query: ListQuery): ResultAsync<Json, Failure>;
  /** `{log: […]}` */
  log(member: Member, query: ListQuery): ResultAsync<Json, Failure>;
}
