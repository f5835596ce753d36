import { failingSourcePromises, type FailingSource } from '../contract/failing-source.ts';
import { stableFields } from '../contract/json-result.ts';
import { canary } from '../contract/supervision.ts';
import { check, equal, failsAs, stored, succeeds } from '../contract/assertions.ts';
import { contractSuite } from '../contract/contract-suite.ts';
import { versionPromises } from '../contract/version-promises.ts';
import type { Member } from '../shared/member.ts';
import { isObject, toJson } from '../shared/json/json.ts';
import type { Consent } from './consent.port.ts';

export interface ConsentSubject extends FailingSource {
  readonly consent: Consent;
  readonly member: Member;
  /** Another member, with a different consent state. */
  readonly other: Member;
  /** A member who does not exist in the consent system. */
  readonly unknown: Member;
}

const withdrawn = toJson({
  consents: [
    { purpose: canary, state: 'withdrawn' },
    { purpose: 'contract', state: 'granted' },
  ],
});
const granted = toJson({ consents: [{ purpose: canary, state: 'granted' }] });
const versions = [withdrawn, granted, toJson({ consents: [{ purpose: 'contract', state: 'withdrawn' }] })] as const;

export const consentContract = contractSuite<ConsentSubject>(
  'consent',
  {
    "returns the member's own consent state": async ({ consent, member }) => {
      check(isObject((await succeeds(consent.get(member))).value), 'consent is a JSON object');
    },
    'returns the consent state to its own member only': async ({ consent, member, other }) => {
      await succeeds(consent.replace(member, withdrawn));
      check(!(await succeeds(consent.get(other))).text.includes(canary), "another member's consent state is unchanged");
      check(
        (await succeeds(consent.get(member))).text.includes(canary),
        'the consent state is the one that was stored',
      );
    },
    'replaces the whole consent state': async ({ consent, member }) => {
      await succeeds(consent.replace(member, withdrawn));
      stored((await succeeds(consent.get(member))).value, withdrawn.value, 'the first consent state');
      await succeeds(consent.replace(member, toJson({ note: canary, consents: [] })));
      await succeeds(consent.replace(member, granted));
      const { value } = await succeeds(consent.get(member));
      check(isObject(value) && !('note' in value), 'a field that is not in the new consent state is gone');
      stored((await succeeds(consent.get(member))).value, granted.value, 'the consent state');
    },
    'keeps the consent states of two members apart when they are stored at the same time': async (subject) => {
      const { consent, member, other } = subject;
      const [, others] = await Promise.all([
        succeeds(consent.replace(member, withdrawn)),
        succeeds(consent.replace(other, toJson({ consents: [{ purpose: 'contract', state: 'granted' }] }))),
      ]);
      check(!others.text.includes(canary), "the result of a write does not contain another member's consent state");
      check(!(await succeeds(consent.get(other))).text.includes(canary), "another member's consent state is its own");
      stored((await succeeds(consent.get(member))).value, withdrawn.value, 'the consent state');
    },
    'does not change the consent of another member': async ({ consent, member, other }) => {
      const read = async () => (await succeeds(consent.get(other))).value;
      const before = stableFields(await read(), await read());
      await succeeds(consent.replace(member, withdrawn));
      equal(stableFields(await read(), await read()), before, "the other member's consent");
    },
    'fails not-found for an unknown member': async ({ consent, unknown }) => {
      await failsAs('not-found', consent.get(unknown));
      await failsAs('not-found', consent.replace(unknown, withdrawn));
    },
    ...versionPromises<ConsentSubject>(
      'write',
      [withdrawn.value, granted.value, versions[2].value],
      ({ consent, member }) => ({
        read: () => consent.get(member),
        write: (nth, ifMatch) => consent.replace(member, versions[nth], ifMatch),
      }),
    ),
    ...failingSourcePromises<ConsentSubject>('consent', ({ consent, member }) => [
      () => consent.get(member),
      () => consent.replace(member, withdrawn),
    ]),
  },
  { reads: ['get'] },
);
