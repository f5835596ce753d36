import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json.ts';
import type { ListQuery } from '../shared/list-query.ts';
import type { Branded } from '../shared/locator.ts';
import type { Member } from '../shared/member.ts';

export type ClaimLocator = Branded<'claim'>;

/** A claim as the member wrote it: a non-empty object that names no member. */
export type ClaimDraft = Json & { readonly idempotencyKey?: string };

/** What became of a draft: filed at once (`created`), or taken in to be filed later (`accepted`). */
export interface Submission {
  readonly outcome: 'created' | 'accepted';
  readonly claim: Json;
}

/** The claims system, seen by one member at a time. */
export interface Claims {
  list(member: Member, query: ListQuery): ResultAsync<Json, Failure>;
  /** Fails `not-found` when this member has no such claim, also when another one has. */
  get(member: Member, locator: ClaimLocator): ResultAsync<Json, Failure>;
  /** Sent at most once. With an idempotency key the claims system may recognise a repetition by the caller. */
  submit(member: Member, draft: ClaimDraft): ResultAsync<Submission, Failure>;
}
