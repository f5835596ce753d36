import { type ByMember, type Fails, failOnDemand, versionedRecords } from '../shared/fake.ts';
import type { Consent } from './consent.port.ts';

export type FakeConsent = Consent & Fails;

export const fakeConsent = (members: ByMember<object> = {}): FakeConsent => {
  const { respond, ...failing } = failOnDemand();
  const { read, write } = versionedRecords('consent', members);
  return {
    ...failing,
    get: (member) => respond(() => read(member)),
    replace: (member, consent, ifMatch) => respond(() => write(member, ifMatch, () => consent.value as object)),
  };
};
