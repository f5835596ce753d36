import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json/json.ts';
import type { ListQuery } from '../shared/list-query.ts';
import type { Branded } from '../shared/locator.ts';
import type { Member } from '../shared/member.ts';

export type ClaimLocator = Branded<'claim'>;

/** A claim as submitted by the member: a non-empty object that names no member. */
export type ClaimDraft = Json & { readonly idempotencyKey?: string };

/** The result of a submission: filed at once (`created`), or accepted for later processing (`accepted`). */
export interface Submission {
  readonly outcome: 'created' | 'accepted';
  readonly claim: Json;
}

/** The claims system, as seen by one member. */
export interface Claims {
  list(member: Member, query: ListQuery): ResultAsync<Json, Failure>;
  /** Fails `not-found` when this member has no such claim, even if another member has it. */
  get(member: Member, locator: ClaimLocator): ResultAsync<Json, Failure>;
  /** Sends the draft at most once. With an idempotency key, the claims system can detect a retry by the caller. */
  submit(member: Member, draft: ClaimDraft): ResultAsync<Submission, Failure>;
}
