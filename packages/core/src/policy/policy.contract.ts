import { contractSuite, equal, failsAs, holds, succeeds } from '../shared/contract.ts';
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
  'gives the profile of the member who asks': async ({ policy, member, other }) => {
    const own = await succeeds(policy.profile(member));
    holds(isObject(own.value), 'a profile is a JSON object');
    holds(own.text !== (await succeeds(policy.profile(other))).text, "a member's profile is not another's");
  },
  'changes what a patch names and leaves the rest': async ({ policy, member }) => {
    const before = (await succeeds(policy.profile(member))).value as Record<string, unknown>;
    await succeeds(policy.patchProfile(member, patch({ preferredName: 'Contract' })));
    const after = (await succeeds(policy.profile(member))).value as Record<string, unknown>;
    equal(after, { ...before, preferredName: 'Contract' }, 'the patched profile');
  },
  'refuses a patch on the condition of a version that is no longer there': async ({ policy, member }) => {
    const { etag } = await succeeds(policy.profile(member));
    if (etag === undefined) return;
    await succeeds(policy.patchProfile(member, patch({ preferredName: 'First' }), etag));
    await failsAs('precondition-failed', policy.patchProfile(member, patch({ preferredName: 'Second' }), etag));
    const { value } = await succeeds(policy.profile(member));
    equal((value as Record<string, unknown>)['preferredName'], 'First', 'the preferred name');
  },
  "leaves everybody else's profile alone": async ({ policy, member, other }) => {
    const before = await succeeds(policy.profile(other));
    await succeeds(policy.patchProfile(member, patch({ preferredName: 'Contract' })));
    equal((await succeeds(policy.profile(other))).text, before.text, "the other member's profile");
  },
  'does not find a member it does not know': async ({ policy, unknown }) => {
    await failsAs('not-found', policy.profile(unknown));
    await failsAs('not-found', policy.patchProfile(unknown, patch({ preferredName: 'Contract' })));
  },
});
