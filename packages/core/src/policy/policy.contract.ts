import { failingSourcePromises, type FailingSource } from '../contract/failing-source.ts';
import { isSame, stableFields } from '../contract/json-result.ts';
import { canary } from '../contract/supervision.ts';
import { check, equal, failsAs, succeeds } from '../contract/assertions.ts';
import { contractSuite } from '../contract/contract-suite.ts';
import { versionPromises } from '../contract/version-promises.ts';
import type { Member } from '../shared/member.ts';
import { isObject, toJson } from '../shared/json/json.ts';
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

const names = [{ preferredName: 'First' }, { preferredName: 'Second' }, { preferredName: 'Third' }] as const;

/** A patch may change a version number or a time of the profile. */
const isLater = (after: unknown, before: unknown): boolean => {
  if (typeof after === 'number' && typeof before === 'number') return after > before;
  const [one, other] = [String(before), String(after)];
  return [one, other].every((text) => /^\d{4}-\d\d-\d\dT/.test(text)) && other > one;
};

export const policyContract = contractSuite<PolicySubject>(
  'policy administration',
  {
    "returns the member's own profile": async ({ policy, member, other, own: expected }) => {
      const own = await succeeds(policy.profile(member));
      check(isObject(own.value), 'a profile is a JSON object');
      check(own.text.includes(expected), 'the profile is that of the member');
      const { text } = await succeeds(policy.profile(other));
      check(!text.includes(expected), "another member's profile contains nothing of it");
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
      const read = async () => (await succeeds(policy.profile(member))).value;
      const before = stableFields(await read(), await read());
      await succeeds(policy.patchProfile(member, patch({ preferredName: 'Contract' })));
      const after = (await read()) as Readonly<Record<string, unknown>>;
      equal(after['preferredName'], 'Contract', 'the patched field');
      for (const [name, value] of Object.entries(before))
        if (name !== 'preferredName')
          check(isSame(after[name], value) || isLater(after[name], value), `the field ${name} is kept`);
    },
    'keeps the profiles of two members apart when they are patched at the same time': async (subject) => {
      const { policy, member, other, own } = subject;
      const [, others] = await Promise.all([
        succeeds(policy.patchProfile(member, patch({ preferredName: canary }))),
        succeeds(policy.patchProfile(other, patch({ preferredName: 'Contract' }))),
      ]);
      const read = (await succeeds(policy.profile(other))).text;
      for (const text of [others.text, read])
        check(!text.includes(canary) && !text.includes(own), "another member's profile contains nothing of it");
      check((await succeeds(policy.profile(member))).text.includes(canary), 'the member sees the patched profile');
    },
    'does not change the profile of another member': async ({ policy, member, other }) => {
      const read = async () => (await succeeds(policy.profile(other))).value;
      const before = stableFields(await read(), await read());
      await succeeds(policy.patchProfile(member, patch({ preferredName: 'Contract' })));
      equal(stableFields(await read(), await read()), before, "the other member's profile");
    },
    'fails not-found for an unknown member': async ({ policy, unknown }) => {
      await failsAs('not-found', policy.profile(unknown));
      await failsAs('not-found', policy.patchProfile(unknown, patch({ preferredName: canary })));
    },
    ...versionPromises<PolicySubject>('patch', names, ({ policy, member }) => ({
      read: () => policy.profile(member),
      write: (nth, ifMatch) => policy.patchProfile(member, patch(names[nth]), ifMatch),
    })),
    ...failingSourcePromises<PolicySubject>('policy', ({ policy, member }) => [
      () => policy.profile(member),
      () => policy.patchProfile(member, patch({ preferredName: canary })),
    ]),
  },
  { reads: ['profile'] },
);
