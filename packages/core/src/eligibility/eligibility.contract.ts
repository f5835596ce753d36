import { failingSourcePromises, type FailingSource } from '../contract/failing-source.ts';
import { check, failsAs, succeeds } from '../contract/assertions.ts';
import { contractSuite } from '../contract/contract-suite.ts';
import type { Member } from '../shared/member.ts';
import { isObject } from '../shared/json/json.ts';
import type { Eligibility } from './eligibility.port.ts';

export interface EligibilitySubject extends FailingSource {
  readonly eligibility: Eligibility;
  readonly member: Member;
  /** Another member, with different coverage. */
  readonly other: Member;
  /** A part of the member's own coverage and accumulators, which is not in those of `other`. */
  readonly own: { readonly coverage: string; readonly accumulators: string };
  /** A member who does not exist in the eligibility system. */
  readonly unknown: Member;
}

export const eligibilityContract = contractSuite<EligibilitySubject>(
  'eligibility',
  {
    "returns the member's own coverage": async ({ eligibility, member, other, own: expected }) => {
      const own = await succeeds(eligibility.coverage(member));
      check(isObject(own.value), 'coverage is a JSON object');
      check(own.text.includes(expected.coverage), 'the coverage is that of the member');
      const others = await succeeds(eligibility.coverage(other));
      check(!others.text.includes(expected.coverage), "another member's coverage contains nothing of it");
    },
    "returns the member's own accumulators": async ({ eligibility, member, other, own: expected }) => {
      const own = await succeeds(eligibility.accumulators(member));
      check(isObject(own.value), 'accumulators are a JSON object');
      check(own.text.includes(expected.accumulators), 'the accumulators are those of the member');
      const others = await succeeds(eligibility.accumulators(other));
      check(!others.text.includes(expected.accumulators), "another member's accumulators contain nothing of it");
    },
    'fails not-found for an unknown member': async ({ eligibility, unknown }) => {
      await failsAs('not-found', eligibility.coverage(unknown));
      await failsAs('not-found', eligibility.accumulators(unknown));
    },
    ...failingSourcePromises<EligibilitySubject>('eligibility', ({ eligibility, member }) => [
      () => eligibility.coverage(member),
      () => eligibility.accumulators(member),
    ]),
  },
  { reads: ['coverage', 'accumulators'] },
);
