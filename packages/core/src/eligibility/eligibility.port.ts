import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json/json.ts';
import type { Member } from '../shared/member.ts';

/** The eligibility system: a member's coverage and accumulators. */
export interface Eligibility {
  coverage(member: Member): ResultAsync<Json, Failure>;
  accumulators(member: Member): ResultAsync<Json, Failure>;
}
