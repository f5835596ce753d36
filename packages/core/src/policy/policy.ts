import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { parseIfMatch } from '../shared/entity-tag.ts';
import { type Failure, invalid } from '../shared/failure.ts';
import type { Member } from '../shared/member.ts';
import { isObject, type Json } from '../shared/json/json.ts';
import { parseObjectBody } from '../shared/request-body.ts';
import type { Policy, ProfilePatch } from './policy.port.ts';

export type GetProfile = (member: Member) => ResultAsync<Json, Failure>;

/** Returns the member's party details. */
export const getProfile =
  (policy: Policy): GetProfile =>
  (member) =>
    policy.profile(member);

export type PatchProfile = (
  member: Member,
  body: Json,
  mediaType?: ProfilePatch['mediaType'],
  ifMatch?: string,
) => ResultAsync<Json, Failure>;

/**
 * Changes the fields of the patch and keeps the others. With `ifMatch`, the `etag` of an earlier read, it fails
 * `precondition-failed` when the profile was changed in the meantime.
 */
export const patchProfile =
  (policy: Policy): PatchProfile =>
  (member, body, mediaType = 'application/merge-patch+json', ifMatch) =>
    parseIfMatch(ifMatch)
      .andThen(() => rejectLocators(body))
      .andThen(parseObjectBody)
      .asyncAndThen((patch) => policy.patchProfile(member, { ...patch, mediaType }, ifMatch));

const rejectLocators = (body: Json): Result<Json, Failure> => {
  const fields = isObject(body.value) ? body.value : {};
  const named = ['partyLocator', 'locator'].filter((name) => Object.hasOwn(fields, name));
  return named.length === 0
    ? ok(body)
    : err(
        invalid(
          'The locator of a party cannot be changed.',
          ...named.map((name) => ({ path: `/${name}`, message: 'cannot be changed' })),
        ),
      );
};
