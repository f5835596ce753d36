import { type ByMember, type Fails, failsOnPurpose, versionedRecords } from '../shared/fake.ts';
import { isObject } from '../shared/request-body.ts';
import type { Policy } from './policy.port.ts';

export type FakePolicy = Policy & Fails;

/** Applies patches as RFC 7396 says. */
export const fakePolicy = (members: ByMember<object> = {}): FakePolicy => {
  const { answer, ...failing } = failsOnPurpose();
  const { read, write } = versionedRecords('policy', members);
  return {
    ...failing,
    profile: (member) => answer(() => read(member)),
    patchProfile: (member, patch, ifMatch) =>
      answer(() => write(member, ifMatch, (profile) => merge(profile, patch.value) as object)),
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
