import { type ByMember, type Fails, failOnDemand, versionedRecords } from '../shared/fake.ts';
import { isObject } from '../shared/json/json.ts';
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
      respond(() => write(member, ifMatch, (profile) => merge(profile, patch.value) as object)),
  };
};

const merge = (target: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, merge(merged.get(name), value));
  }
  return Object.fromEntries(merged);
};
