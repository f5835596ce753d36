import type { Result, ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import { parseIdempotencyKey } from '../shared/idempotency-key.ts';
import { type ListQueryInput, parseListQuery } from '../shared/list-query.ts';
import { isLocator, parseLocator } from '../shared/locator.ts';
import type { Member } from '../shared/member.ts';
import { isObject, type Json } from '../shared/json/json.ts';
import { parseObjectBody } from '../shared/request-body.ts';
import type { ClaimDraft, ClaimLocator, Claims, Submission } from './claims.port.ts';

export type ListClaims = (member: Member, query?: ListQueryInput) => ResultAsync<Json, Failure>;

export const listClaims =
  (claims: Claims): ListClaims =>
  (member, query = '') =>
    parseListQuery(query).asyncAndThen((known) => claims.list(member, known));

export type GetClaim = (member: Member, locator: string) => ResultAsync<Json, Failure>;

export const getClaim =
  (claims: Claims): GetClaim =>
  (member, locator) =>
    parseLocator<ClaimLocator>(locator).asyncAndThen((valid) => claims.get(member, valid));

/** A submission, with the new claim's locator if the claims system returned a valid one. */
export interface SubmittedClaim extends Submission {
  readonly locator?: ClaimLocator;
}

export type SubmitClaim = (member: Member, body: Json, idempotencyKey?: string) => ResultAsync<SubmittedClaim, Failure>;

export const submitClaim =
  (claims: Claims): SubmitClaim =>
  (member, body, idempotencyKey) =>
    parseClaimDraft(body, idempotencyKey)
      .asyncAndThen((draft) => claims.submit(member, draft))
      .map((submission) => ({ ...submission, ...locatorOf(submission.claim) }));

const parseClaimDraft = (body: Json, idempotencyKey: string | undefined): Result<ClaimDraft, Failure> =>
  parseObjectBody(body).andThen((draft) =>
    parseIdempotencyKey(idempotencyKey).map((key) => (key === undefined ? draft : { ...draft, idempotencyKey: key })),
  );

const locatorOf = ({ value }: Json): { readonly locator?: ClaimLocator } =>
  isObject(value) && isLocator(value['locator']) ? { locator: value['locator'] as ClaimLocator } : {};
