import { type ByMember, type Fails, failOnDemand, mergePatch, versionedRecords } from '../shared/fake.ts';
import type { Policy } from './policy.port.ts';

export type FakePolicy = Policy & Fails;

/** Applies patches as JSON Merge Patch (RFC 7396). */
export const fakePolicy = (members: ByMember<object> = {}): FakePolicy => {
  const { respond, ...failing } = failOnDemand();
  const { read, write } = versionedRecords('policy', members);
  return {
    ...failing,
    profile: (member) => respond(() => read(member)),
    patchProfile: (member, patch, ifMatch) =>
      respond(() => write(member, ifMatch, (profile) => mergePatch(profile, patch.value) as object)),
  };
};
