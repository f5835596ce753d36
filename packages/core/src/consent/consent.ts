import type { ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json.ts';
import type { Member } from '../shared/member.ts';
import { parseObjectBody } from '../shared/request-body.ts';
import type { Consent } from './consent.port.ts';

export type GetConsent = (member: Member) => ResultAsync<Json, Failure>;

/** The member's current consent state. */
export const getConsent =
  (consent: Consent): GetConsent =>
  (member) =>
    consent.get(member);

export type PutConsent = (member: Member, body: Json) => ResultAsync<Json, Failure>;

/** Replaces the consent state: any non-empty object. */
export const putConsent =
  (consent: Consent): PutConsent =>
  (member, body) =>
    parseObjectBody(body).asyncAndThen((state) => consent.replace(member, state));
