import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json/json.ts';
import type { Member } from '../shared/member.ts';

/** A merge patch (RFC 7396) of the party details: a non-empty object that names no party. */
export type ProfilePatch = Json & { readonly mediaType: 'application/json' | 'application/merge-patch+json' };

/** The party details in the policy administration system, as seen by one member. */
export interface Policy {
  /** Includes the entity tag if the system sends one. */
  profile(member: Member): ResultAsync<Json, Failure>;
  /** Fails `precondition-failed` and writes nothing when `ifMatch` does not match the current version. */
  patchProfile(member: Member, patch: ProfilePatch, ifMatch?: string): ResultAsync<Json, Failure>;
}
