import { errAsync, okAsync } from 'neverthrow';
import { generalPromises } from '../contract/supervision.ts';
import {
  failed,
  mixingMembers,
  showsInput,
  testSuite,
  unsafeInEveryService,
} from '../contract/unsafe-adapters.test.support.ts';
import { notFound, upstreamStatus } from '../shared/failure.ts';
import { toJson } from '../shared/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { type PolicySubject, policyContract } from './policy.contract.ts';
import { fakePolicy } from './policy.fake.ts';
import type { Policy } from './policy.port.ts';

const member = aMember('PTY-1', 'token.of.PTY-1');
const other = aMember('PTY-2', 'token.of.PTY-2');
const unknown = aMember('PTY-3', 'token.of.PTY-3');

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

const withPolicy =
  (change: (policy: Policy) => Partial<Policy>) =>
  (good: PolicySubject): PolicySubject => ({ ...good, policy: { ...good.policy, ...change(good.policy) } });

/** Reads from a cache that writes do not change. */
const staleReads = (policy: Policy): Partial<Policy> => {
  const cache = new Map<string, ReturnType<Policy['profile']>>();
  return {
    profile: (of) => {
      const known = cache.get(of.locator) ?? policy.profile(of);
      cache.set(of.locator, known);
      return known;
    },
  };
};

/** Changes every profile that is read. */
const showing = (change: (value: object) => object) =>
  withPolicy((policy) => ({
    profile: (of) => policy.profile(of).map(({ value, etag = '' }) => ({ ...toJson(change(value as object)), etag })),
  }));

/** Counts the versions of a profile in one of its fields. */
const versioned = (good: PolicySubject): PolicySubject => {
  let version = 0;
  const changing = () => ({
    version: ++version,
    updatedAt: `2026-01-01T00:00:00.${String(version).padStart(3, '0')}Z`,
  });
  return showing((value) => ({ ...changing(), ...value }))(good);
};

testSuite<PolicySubject>(
  'policy administration',
  policyContract,
  subject,
  [
    ...unsafeInEveryService<'policy', PolicySubject>('policy'),
    showsInput<'policy', PolicySubject>('policy'),
    [
      "returns each member the other one's profile",
      withPolicy((policy) => ({
        profile: (of) => policy.profile(of === unknown ? of : of === member ? other : member),
      })),
      "returns the member's own profile",
    ],
    [
      "returns one member's profile to every member",
      withPolicy((policy) => ({ profile: () => policy.profile(member) })),
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
      withPolicy(staleReads),
      'changes the fields of a patch and keeps the others',
    ],
    [
      'ignores the entity tag of a write',
      withPolicy((policy) => ({ patchProfile: (of, patch) => policy.patchProfile(of, patch) })),
      'rejects a patch with an outdated entity tag',
    ],
    [
      'fails precondition-failed, but writes',
      withPolicy((policy) => ({
        patchProfile: (of, patch, ifMatch) =>
          policy
            .patchProfile(of, patch, ifMatch)
            .orElse((failure) => policy.patchProfile(of, patch).andThen(() => errAsync(failure))),
      })),
      'rejects a patch with an outdated entity tag',
    ],
    [
      "changes every member's profile",
      withPolicy((policy) => ({
        patchProfile: (of, patch, ifMatch) =>
          policy
            .patchProfile(of, patch, ifMatch)
            .andThen((json) => policy.patchProfile(of === member ? other : member, patch).map(() => json)),
      })),
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
      withPolicy((policy) => ({
        profile: (of) => (of === unknown ? errAsync(upstreamStatus('policy', 404)) : policy.profile(of)),
      })),
      'fails not-found for an unknown member',
    ],
    [
      'creates a profile for an unknown member',
      withPolicy((policy) => ({
        patchProfile: (of, patch, ifMatch) =>
          of === unknown ? okAsync(patch) : policy.patchProfile(of, patch, ifMatch),
      })),
      'fails not-found for an unknown member',
    ],
    [
      'reports a write as done when its source is down',
      withPolicy((policy) => ({
        patchProfile: (of, patch, ifMatch) =>
          policy
            .patchProfile(of, patch, ifMatch)
            .orElse((failure) => (failure.kind === 'upstream' ? okAsync(patch) : errAsync(failure))),
      })),
      'fails as unreachable when its source refuses connections',
    ],
    [
      'reports a response that is not JSON as not-found',
      withPolicy((policy) => ({ profile: (of) => policy.profile(of).orElse(() => errAsync(notFound('policy'))) })),
      'fails as malformed when its source does not respond with JSON',
    ],
    [
      "adds one member's profile to every profile",
      showing((value) => ({ ...value, household: [{ city: 'Springfield' }] })),
      "returns the member's own profile",
    ],
    [
      'patches the profile of another member when calls overlap',
      withPolicy((policy) => ({ patchProfile: mixingMembers(policy.patchProfile) })),
      'keeps the profiles of two members apart when they are patched at the same time',
    ],
    [
      "returns another member's profile from a patch",
      withPolicy((policy) => ({
        patchProfile: (...args) => policy.patchProfile(...args).andThen(() => policy.profile(member)),
      })),
      'keeps the profiles of two members apart when they are patched at the same time',
    ],
    [
      'accepts entity tags that it has never sent',
      withPolicy((policy) => ({
        patchProfile: (of, patch, ifMatch) => policy.patchProfile(of, patch, ifMatch === '"1"' ? ifMatch : undefined),
      })),
      'rejects a patch with an entity tag that it has never sent',
    ],
    [
      'empties other fields with a patch',
      showing((value) => ('preferredName' in value ? { ...value, city: '' } : value)),
      'changes the fields of a patch and keeps the others',
    ],
  ],
  [
    ['counts the versions of a profile in its fields', versioned],
    ['stores fields in another order', showing((value) => Object.fromEntries(Object.entries(value).toReversed()))],
  ],
);
