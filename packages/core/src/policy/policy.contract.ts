import { failingSourcePromises, type FailingSource } from '../contract/failing-source.ts';
import { canary } from '../contract/supervision.ts';
import { contractSuite, equal, failsAs, check, succeeds } from '../shared/contract.ts';
import { toJson } from '../shared/json.ts';
import type { Member } from '../shared/member.ts';
import { isObject } from '../shared/request-body.ts';
import type { Policy, ProfilePatch } from './policy.port.ts';

export interface PolicySubject extends FailingSource {
  readonly policy: Policy;
  /** A member whose profile has more than one field. */
  readonly member: Member;
  /** Another member, with a different profile. */
  readonly other: Member;
  /** A part of the member's own profile, which is not in that of `other`. */
  readonly own: string;
  /** A member who does not exist in the policy administration system. */
  readonly unknown: Member;
}

const patch = (value: object): ProfilePatch => ({ ...toJson(value), mediaType: 'application/merge-patch+json' });

export const policyContract = contractSuite<PolicySubject>(
  'policy administration',
  {
    "returns the member's own profile": async ({ policy, member, other, own: expected }) => {
      const own = await succeeds(policy.profile(member));
      check(isObject(own.value), 'a profile is a JSON object');
      check(own.text.includes(expected), 'the profile is that of the member');
      check(own.text !== (await succeeds(policy.profile(other))).text, 'two members have different profiles');
    },
    'returns the patched profile to its own member only': async ({ policy, member, other }) => {
      await succeeds(policy.patchProfile(member, patch({ preferredName: canary })));
      check((await succeeds(policy.profile(member))).text.includes(canary), 'the member sees the patched profile');
      check(!(await succeeds(policy.profile(other))).text.includes(canary), 'another member does not see it');
    },
    'removes the fields of a patch that are null (RFC 7396)': async ({ policy, member }) => {
      await succeeds(policy.patchProfile(member, patch({ preferredName: 'Contract' })));
      await succeeds(policy.patchProfile(member, patch({ preferredName: null })));
      const { value } = await succeeds(policy.profile(member));
      equal((value as Record<string, unknown>)['preferredName'] ?? null, null, 'the removed field');
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
      await failsAs('not-found', policy.patchProfile(unknown, patch({ preferredName: canary })));
    },
    ...failingSourcePromises<PolicySubject>('policy', ({ policy, member }) => [
      () => policy.profile(member),
      () => policy.patchProfile(member, patch({ preferredName: canary })),
    ]),
  },
  { reads: ['profile'] },
);
