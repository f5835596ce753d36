import { contractSuite, failsAs, holds, succeeds } from '../shared/contract.ts';
import type { Member } from '../shared/member.ts';
import { isObject } from '../shared/request-body.ts';
import type { Eligibility } from './eligibility.port.ts';

export interface EligibilitySubject {
  readonly eligibility: Eligibility;
  readonly member: Member;
  /** Another member with coverage of their own. */
  readonly other: Member;
  /** A member whom the eligibility system does not know. */
  readonly unknown: Member;
}

export const eligibilityContract = contractSuite<EligibilitySubject>('eligibility', {
  'gives the coverage of the member who asks': async ({ eligibility, member, other }) => {
    const own = await succeeds(eligibility.coverage(member));
    holds(isObject(own.value), 'coverage is a JSON object');
    const others = await succeeds(eligibility.coverage(other));
    holds(own.text !== others.text, "a member's coverage is not another's");
  },
  'gives the accumulators of the member who asks': async ({ eligibility, member, other }) => {
    const own = await succeeds(eligibility.accumulators(member));
    holds(isObject(own.value), 'accumulators are a JSON object');
    const others = await succeeds(eligibility.accumulators(other));
    holds(own.text !== others.text, "a member's accumulators are not another's");
  },
  'does not find a member it does not know': async ({ eligibility, unknown }) => {
    await failsAs('not-found', eligibility.coverage(unknown));
    await failsAs('not-found', eligibility.accumulators(unknown));
  },
});
