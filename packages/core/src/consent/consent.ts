import type { ResultAsync } from 'neverthrow';
import { parseIfMatch } from '../shared/entity-tag.ts';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json/json.ts';
import type { Member } from '../shared/member.ts';
import { parseObjectBody } from '../shared/request-body.ts';
import type { Consent } from './consent.port.ts';

export type GetConsent = (member: Member) => ResultAsync<Json, Failure>;

/** Returns the member's current consent state. */
export const getConsent =
  (consent: Consent): GetConsent =>
  (member) =>
    consent.get(member);

export type PutConsent = (member: Member, body: Json, ifMatch?: string) => ResultAsync<Json, Failure>;

/**
 * Replaces the consent state with any non-empty object. With `ifMatch`, the `etag` of an earlier read, it fails
 * `precondition-failed` when the state was changed in the meantime.
 */
export const putConsent =
  (consent: Consent): PutConsent =>
  (member, body, ifMatch) =>
    parseIfMatch(ifMatch)
      .andThen(() => parseObjectBody(body))
      .asyncAndThen((state) => consent.replace(member, state, ifMatch));
