import { type ByMember, type Fails, failsOnPurpose, recordOf } from '../shared/fake.ts';
import { toJson } from '../shared/json.ts';
import { isObject } from '../shared/request-body.ts';
import type { Policy } from './policy.port.ts';

export type FakePolicy = Policy & Fails;

/** Applies patches as RFC 7396 says. */
export const fakePolicy = (members: ByMember<object> = {}): FakePolicy => {
  const { failWith, answer } = failsOnPurpose();
  const records = new Map<string, unknown>(Object.entries(members));
  return {
    failWith,
    profile: (member) => answer(() => recordOf('policy', records, member).map(toJson)),
    patchProfile: (member, patch) =>
      answer(() =>
        recordOf('policy', records, member).map((profile) => {
          const patched = merge(profile, patch.value);
          records.set(member.locator, patched);
          return toJson(patched);
        }),
      ),
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
