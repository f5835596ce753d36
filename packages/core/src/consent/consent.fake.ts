import { type ByMember, type Fails, failsOnPurpose, recordOf } from '../shared/fake.ts';
import { toJson } from '../shared/json.ts';
import type { Consent } from './consent.port.ts';

export type FakeConsent = Consent & Fails;

export const fakeConsent = (members: ByMember<object> = {}): FakeConsent => {
  const { failWith, answer } = failsOnPurpose();
  const records = new Map<string, unknown>(Object.entries(members));
  return {
    failWith,
    get: (member) => answer(() => recordOf('consent', records, member).map(toJson)),
    replace: (member, consent) =>
      answer(() =>
        recordOf('consent', records, member).map(() => {
          records.set(member.locator, consent.value);
          return toJson(consent.value);
        }),
      ),
  };
};
