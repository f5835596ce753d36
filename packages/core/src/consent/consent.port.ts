import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json.ts';
import type { Member } from '../shared/member.ts';

/** The consent system: what a member has agreed to. */
export interface Consent {
  get(member: Member): ResultAsync<Json, Failure>;
  replace(member: Member, consent: Json): ResultAsync<Json, Failure>;
}
