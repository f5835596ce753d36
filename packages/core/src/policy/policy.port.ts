import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json.ts';
import type { Member } from '../shared/member.ts';

/** A change to party details (a merge patch, RFC 7396): a non-empty object that names no party. */
export type ProfilePatch = Json & { readonly mediaType: 'application/json' | 'application/merge-patch+json' };

/** The policy administration system, as far as it keeps party details. */
export interface Policy {
  /** With its entity tag, where the system gives one. */
  profile(member: Member): ResultAsync<Json, Failure>;
  /** Fails `precondition-failed` and writes nothing when `ifMatch` does not name the version that is there. */
  patchProfile(member: Member, patch: ProfilePatch, ifMatch?: string): ResultAsync<Json, Failure>;
}
