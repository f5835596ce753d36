import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json.ts';
import type { Member } from '../shared/member.ts';

/** The consent system: what a member has agreed to. */
export interface Consent {
  /** With its entity tag, where the system gives one. */
  get(member: Member): ResultAsync<Json, Failure>;
  /** Fails `precondition-failed` and writes nothing when `ifMatch` does not name the version that is there. */
  replace(member: Member, consent: Json, ifMatch?: string): ResultAsync<Json, Failure>;
}
