import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json/json.ts';
import type { Member } from '../shared/member.ts';
import type { Eligibility } from './eligibility.port.ts';

export type GetCoverage = (member: Member) => ResultAsync<Json, Failure>;

/** Returns the member's active coverage. */
export const getCoverage =
  (eligibility: Eligibility): GetCoverage =>
  (member) =>
    eligibility.coverage(member);

export type GetAccumulators = (member: Member) => ResultAsync<Json, Failure>;

/** Returns the member's accumulator balances. */
export const getAccumulators =
  (eligibility: Eligibility): GetAccumulators =>
  (member) =>
    eligibility.accumulators(member);
