import { okAsync } from 'neverthrow';
import { changing, failed, testSuite } from '../contract/suite-test.test.support.ts';
import { generalPromises } from '../contract/supervision.ts';
import { showsInput, unsafeInEveryService, unsafeVersions } from '../contract/unsafe-adapters.test.support.ts';
import {
  acceptingUnknownMembers,
  asFirstMember,
  cachedByMember,
  doneWhenSourceFails,
  failuresAsMissing,
  member,
  missingAsStatus,
  mixingMembers,
  other,
  returningFirstMember,
  reversed,
  showing,
  swappingMembers,
  unknown,
  writingForBothMembers,
} from '../contract/unsafe-operations.test.support.ts';
import { toJson } from '../shared/json/json.ts';
import { type PolicySubject, policyContract } from './policy.contract.ts';
import { fakePolicy } from './policy.fake.ts';
import type { ProfilePatch } from './policy.port.ts';

const subject = (): PolicySubject => {
  const policy = fakePolicy({ 'PTY-1': { city: 'Springfield', zip: '1' }, 'PTY-2': { city: 'Shelbyville' } });
  return {
    policy,
    member,
    other,
    own: 'Springfield',
    unknown,
    fail: (fault) => policy.failWith(failed('policy', fault)),
  };
};

const withPolicy = changing<'policy', PolicySubject>('policy');

/** Changes every profile that is read. */
const profileWith = (change: (value: object) => object) =>
  withPolicy(({ profile }) => ({ profile: showing(change)(profile) }));

/** Counts the versions of a profile in one of its fields. */
const versioned = (good: PolicySubject): PolicySubject => {
  let version = 0;
  const changing = () => ({
    version: ++version,
    updatedAt: `2026-01-01T00:00:00.${String(version).padStart(3, '0')}Z`,
  });
  return profileWith((value) => ({ ...changing(), ...value }))(good);
};

testSuite<PolicySubject>(
  'policy administration',
  policyContract,
  subject,
  [
    ...unsafeInEveryService<'policy', PolicySubject>('policy'),
    showsInput<'policy', PolicySubject>('policy'),
    ...unsafeVersions<PolicySubject, ProfilePatch>('patch', 'policy', (change) =>
      withPolicy(({ profile, patchProfile }) => ({ patchProfile: change(profile, patchProfile) })),
    ),
    [
      "returns each member the other one's profile",
      withPolicy(({ profile }) => ({ profile: swappingMembers(profile) })),
      "returns the member's own profile",
    ],
    [
      "returns one member's profile to every member",
      withPolicy(({ profile }) => ({ profile: asFirstMember(profile) })),
      generalPromises.members,
    ],
    [
      'returns a profile that is not an object',
      withPolicy(() => ({ profile: ({ locator }) => okAsync(toJson([locator])) })),
      "returns the member's own profile",
    ],
    [
      'replaces the profile instead of patching it',
      withPolicy((policy) => ({
        profile: (of) =>
          policy.profile(of).map(({ value, etag = '' }) => ({
            ...toJson('preferredName' in (value as object) ? { preferredName: 'Contract' } : value),
            etag,
          })),
      })),
      'changes the fields of a patch and keeps the others',
    ],
    [
      'ignores patches',
      withPolicy((policy) => ({ patchProfile: (of) => policy.profile(of) })),
      'changes the fields of a patch and keeps the others',
    ],
    [
      'reads profiles from an outdated cache',
      withPolicy(({ profile }) => ({ profile: cachedByMember(profile) })),
      'changes the fields of a patch and keeps the others',
    ],
    [
      "changes every member's profile",
      withPolicy(({ patchProfile }) => ({ patchProfile: writingForBothMembers(patchProfile) })),
      'does not change the profile of another member',
    ],
    [
      'stores null instead of removing the field',
      withPolicy((policy) => ({
        patchProfile: (of, patch, ifMatch) => {
          const { preferredName } = patch.value as { readonly preferredName?: unknown };
          return policy.patchProfile(of, { ...patch, value: { preferredName: preferredName ?? 'null' } }, ifMatch);
        },
      })),
      'removes the fields of a patch that are null (RFC 7396)',
    ],
    [
      'fails with status 502 for an unknown member',
      withPolicy(({ profile }) => ({ profile: missingAsStatus('policy', profile) })),
      'fails not-found for an unknown member',
    ],
    [
      'creates a profile for an unknown member',
      withPolicy(({ patchProfile }) => ({ patchProfile: acceptingUnknownMembers(patchProfile) })),
      'fails not-found for an unknown member',
    ],
    [
      'reports a write as done when its source is down',
      withPolicy(({ patchProfile }) => ({ patchProfile: doneWhenSourceFails(patchProfile) })),
      'fails as unreachable when its source refuses connections',
    ],
    [
      'reports a response that is not JSON as not-found',
      withPolicy(({ profile }) => ({ profile: failuresAsMissing('policy', profile) })),
      'fails as malformed when its source does not respond with JSON',
    ],
    [
      "adds one member's profile to every profile",
      profileWith((value) => ({ ...value, household: [{ city: 'Springfield' }] })),
      "returns the member's own profile",
    ],
    [
      'patches the profile of another member when calls overlap',
      withPolicy(({ patchProfile }) => ({ patchProfile: mixingMembers(patchProfile) })),
      'keeps the profiles of two members apart when they are patched at the same time',
    ],
    [
      "returns another member's profile from a patch",
      withPolicy(({ profile, patchProfile }) => ({ patchProfile: returningFirstMember(profile, patchProfile) })),
      'keeps the profiles of two members apart when they are patched at the same time',
    ],
    [
      'empties other fields with a patch',
      profileWith((value) => ('preferredName' in value ? { ...value, city: '' } : value)),
      'changes the fields of a patch and keeps the others',
    ],
  ],
  [
    ['counts the versions of a profile in its fields', versioned],
    ['stores fields in another order', profileWith(reversed)],
  ],
);
