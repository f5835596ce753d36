import { contractSuite, equal, failsAs, check, succeeds } from '../shared/contract.ts';
import { toJson } from '../shared/json.ts';
import type { Member } from '../shared/member.ts';
import { isObject } from '../shared/request-body.ts';
import type { Policy, ProfilePatch } from './policy.port.ts';

export interface PolicySubject {
  readonly policy: Policy;
  /** A member whose profile has more than one field. */
  readonly member: Member;
  readonly other: Member;
  readonly unknown: Member;
}

const patch = (value: object): ProfilePatch => ({ ...toJson(value), mediaType: 'application/merge-patch+json' });

export const policyContract = contractSuite<PolicySubject>('policy administration', {
  "returns the member's own profile": async ({ policy, member, other }) => {
    const own = await succeeds(policy.profile(member));
    check(isObject(own.value), 'a profile is a JSON object');
    check(own.text !== (await succeeds(policy.profile(other))).text, 'two members have different profiles');
  },
  'changes the fields of a patch and keeps the others': async ({ policy, member }) => {
    const before = (await succeeds(policy.profile(member))).value as Record<string, unknown>;
    await succeeds(policy.patchProfile(member, patch({ preferredName: 'Contract' })));
    const after = (await succeeds(policy.profile(member))).value as Record<string, unknown>;
    equal(after, { ...before, preferredName: 'Contract' }, 'the patched profile');
  },
  'rejects a patch with an outdated entity tag': async ({ policy, member }) => {
    const { etag } = await succeeds(policy.profile(member));
    if (etag === undefined) return;
    await succeeds(policy.patchProfile(member, patch({ preferredName: 'First' }), etag));
    await failsAs('precondition-failed', policy.patchProfile(member, patch({ preferredName: 'Second' }), etag));
    const { value } = await succeeds(policy.profile(member));
    equal((value as Record<string, unknown>)['preferredName'], 'First', 'the preferred name');
  },
  'does not change the profile of another member': async ({ policy, member, other }) => {
    const before = await succeeds(policy.profile(other));
    await succeeds(policy.patchProfile(member, patch({ preferredName: 'Contract' })));
    equal((await succeeds(policy.profile(other))).text, before.text, "the other member's profile");
  },
  'fails not-found for an unknown member': async ({ policy, unknown }) => {
    await failsAs('not-found', policy.profile(unknown));
    await failsAs('not-found', policy.patchProfile(unknown, patch({ preferredName: 'Contract' })));
  },
});
