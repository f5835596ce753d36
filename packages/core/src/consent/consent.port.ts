import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json/json.ts';
import type { Member } from '../shared/member.ts';

/** The consent system, as seen by one member. */
export interface Consent {
  /** Includes the entity tag if the system sends one. */
  get(member: Member): ResultAsync<Json, Failure>;
  /** Fails `precondition-failed` and writes nothing when `ifMatch` does not match the current version. */
  replace(member: Member, consent: Json, ifMatch?: string): ResultAsync<Json, Failure>;
}
