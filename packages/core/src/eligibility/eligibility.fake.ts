import { type ByMember, type Fails, failOnDemand, recordOf } from '../shared/fake.ts';
import { toJson } from '../shared/json/json.ts';
import type { Eligibility } from './eligibility.port.ts';

export type FakeEligibility = Eligibility & Fails;

export const fakeEligibility = (
  members: ByMember<{ readonly coverage: object; readonly accumulators: object }> = {},
): FakeEligibility => {
  const { respond, ...failing } = failOnDemand();
  const records = new Map(Object.entries(members));
  return {
    ...failing,
    coverage: (member) => respond(() => recordOf('eligibility', records, member).map((own) => toJson(own.coverage))),
    accumulators: (member) =>
      respond(() => recordOf('eligibility', records, member).map((own) => toJson(own.accumulators))),
  };
};
