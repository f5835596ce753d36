import { type ByMember, type Fails, failsOnPurpose, versionedRecords } from '../shared/fake.ts';
import type { Consent } from './consent.port.ts';

export type FakeConsent = Consent & Fails;

export const fakeConsent = (members: ByMember<object> = {}): FakeConsent => {
  const { answer, ...failing } = failsOnPurpose();
  const { read, write } = versionedRecords('consent', members);
  return {
    ...failing,
    get: (member) => answer(() => read(member)),
    replace: (member, consent, ifMatch) => answer(() => write(member, ifMatch, () => consent.value as object)),
  };
};
