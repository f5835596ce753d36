import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json/json.ts';
import type { ListQuery } from '../shared/list-query.ts';
import type { Member } from '../shared/member.ts';
import type { Preferences } from './preferences.ts';

/** The notifications service, as seen by one member. */
export interface Notifications {
  /** Includes the entity tag if the service sends one. Fails `not-found` for a member who has never set preferences. */
  preferences(member: Member): ResultAsync<Json, Failure>;
  /** The preferences of the token's member, requested without a party locator. Fails `not-found` when never set. */
  ownPreferences(member: Member): ResultAsync<Json, Failure>;
  /** Fails `precondition-failed` and writes nothing when `ifMatch` does not match the current version. */
  replacePreferences(member: Member, preferences: Preferences, ifMatch?: string): ResultAsync<Json, Failure>;
  /** Returns `{notifications: […]}`. */
  list(member: Member, query: ListQuery): ResultAsync<Json, Failure>;
  /** Returns `{log: […]}`. */
  log(member: Member, query: ListQuery): ResultAsync<Json, Failure>;
}
