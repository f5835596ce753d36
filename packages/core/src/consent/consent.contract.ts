import { contractSuite, equal, failsAs, check, succeeds } from '../shared/contract.ts';
import { toJson } from '../shared/json.ts';
import type { Member } from '../shared/member.ts';
import { isObject } from '../shared/request-body.ts';
import type { Consent } from './consent.port.ts';

export interface ConsentSubject {
  readonly consent: Consent;
  readonly member: Member;
  readonly other: Member;
  readonly unknown: Member;
}

const withdrawn = toJson({ consents: [{ purpose: 'contract', state: 'withdrawn' }] });
const granted = toJson({ consents: [{ purpose: 'contract', state: 'granted' }] });

export const consentContract = contractSuite<ConsentSubject>('consent', {
  "returns the member's own consent state": async ({ consent, member }) => {
    check(isObject((await succeeds(consent.get(member))).value), 'consent is a JSON object');
  },
  'stores a replaced consent state': async ({ consent, member }) => {
    await succeeds(consent.replace(member, withdrawn));
    equal((await succeeds(consent.get(member))).value, withdrawn.value, 'the consent state');
  },
  'rejects a write with an outdated entity tag': async ({ consent, member }) => {
    const { etag } = await succeeds(consent.get(member));
    if (etag === undefined) return;
    await succeeds(consent.replace(member, withdrawn, etag));
    await failsAs('precondition-failed', consent.replace(member, granted, etag));
    equal((await succeeds(consent.get(member))).value, withdrawn.value, 'the consent state');
  },
  'does not change the consent of another member': async ({ consent, member, other }) => {
    const before = await succeeds(consent.get(other));
    await succeeds(consent.replace(member, withdrawn));
    equal((await succeeds(consent.get(other))).text, before.text, "the other member's consent");
  },
  'fails not-found for an unknown member': async ({ consent, unknown }) => {
    await failsAs('not-found', consent.get(unknown));
    await failsAs('not-found', consent.replace(unknown, withdrawn));
  },
});
