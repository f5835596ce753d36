import { type ByMember, type Fails, failOnDemand, versionedRecords } from '../shared/fake.ts';
import { type Json, toJson } from '../shared/json/json.ts';
import type { Consent } from './consent.port.ts';

export type FakeConsent = Consent & Fails;

export const fakeConsent = (members: ByMember<object> = {}): FakeConsent => {
  const { respond, ...failing } = failOnDemand();
  const texts = Object.entries(members).map(([locator, consent]) => [locator, toJson(consent)] as const);
  // Consent is stored as it was sent, byte for byte.
  const { read, write } = versionedRecords<Json>('consent', Object.fromEntries(texts), (consent) => consent);
  return {
    ...failing,
    get: (member) => respond(() => read(member)),
    replace: (member, consent, ifMatch) =>
      respond(() => write(member, ifMatch, () => ({ text: consent.text, value: consent.value }))),
  };
};
