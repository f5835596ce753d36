import { okAsync } from 'neverthrow';
import { generalPromises } from '../contract/supervision.ts';
import { changing, failed, testSuite } from '../contract/suite-test.test.support.ts';
import { unsafeInEveryService } from '../contract/unsafe-adapters.test.support.ts';
import {
  asFirstMember,
  failuresAsMissing,
  lastKnown,
  member,
  missingAsStatus,
  mixingMembers,
  other,
  swappingMembers,
  unknown,
} from '../contract/unsafe-operations.test.support.ts';
import { toJson } from '../shared/json/json.ts';
import { type EligibilitySubject, eligibilityContract } from './eligibility.contract.ts';
import { fakeEligibility } from './eligibility.fake.ts';
import type { Eligibility } from './eligibility.port.ts';

/** Makes every response different. */
let reads = 0;

const subject = (): EligibilitySubject => {
  const eligibility = fakeEligibility({
    'PTY-1': { coverage: { plan: 'gold' }, accumulators: { deductible: '100.00' } },
    'PTY-2': { coverage: { plan: 'silver' }, accumulators: { deductible: '7.00' } },
  });
  const fail: EligibilitySubject['fail'] = (fault) => eligibility.failWith(failed('eligibility', fault));
  const own = { coverage: 'gold', accumulators: '100.00' };
  return { eligibility, member, other, own, unknown, fail };
};

const withEligibility = changing<'eligibility', EligibilitySubject>('eligibility');

/** Returns the first accumulators it read to every member. */
const cached = (eligibility: Eligibility): Partial<Eligibility> => {
  let first: ReturnType<Eligibility['accumulators']> | undefined;
  return { accumulators: (of) => (first ??= eligibility.accumulators(of)) };
};

testSuite<EligibilitySubject>('eligibility', eligibilityContract, subject, [
  ...unsafeInEveryService<'eligibility', EligibilitySubject>('eligibility'),
  [
    "returns each member the other one's coverage",
    withEligibility(({ coverage }) => ({ coverage: swappingMembers(coverage) })),
    "returns the member's own coverage",
  ],
  [
    "returns one member's coverage to every member",
    withEligibility(({ coverage }) => ({ coverage: asFirstMember(coverage) })),
    "returns the member's own coverage",
  ],
  [
    'mixes up members whose calls overlap',
    withEligibility(({ coverage }) => ({ coverage: mixingMembers(coverage) })),
    generalPromises.members,
  ],
  ['caches accumulators without their member', withEligibility(cached), "returns the member's own accumulators"],
  [
    'returns coverage that is not an object',
    withEligibility(() => ({ coverage: ({ locator }) => okAsync(toJson([locator])) })),
    "returns the member's own coverage",
  ],
  [
    "adds one member's coverage to every coverage",
    withEligibility((eligibility) => ({
      coverage: (of) =>
        eligibility.coverage(of).map(({ value }) => toJson({ ...(value as object), household: ['gold'] })),
    })),
    "returns the member's own coverage",
  ],
  [
    "returns one member's accumulators to every member, with the time",
    withEligibility((eligibility) => ({
      accumulators: (of) =>
        eligibility
          .accumulators(of)
          .andThen(() => eligibility.accumulators(member))
          .map(({ value }) => toJson({ ...(value as object), readAt: ++reads })),
    })),
    "returns the member's own accumulators",
  ],
  [
    'returns empty coverage for an unknown member',
    withEligibility((eligibility) => ({
      coverage: (of) => (of === unknown ? okAsync(toJson({})) : eligibility.coverage(of)),
    })),
    'fails not-found for an unknown member',
  ],
  [
    'fails with status 502 for an unknown member',
    withEligibility(({ accumulators }) => ({ accumulators: missingAsStatus('eligibility', accumulators) })),
    'fails not-found for an unknown member',
  ],
  [
    'reports a source that is down as not-found',
    withEligibility(({ coverage }) => ({ coverage: failuresAsMissing('eligibility', coverage) })),
    'fails as unreachable when its source closes connections',
  ],
  [
    'returns what it read before when its source is down',
    withEligibility(({ coverage }) => ({ coverage: lastKnown(coverage) })),
    'fails as unreachable when its source refuses connections',
  ],
  [
    'reports that another service failed',
    withEligibility((eligibility) => ({
      coverage: (of) =>
        eligibility
          .coverage(of)
          .mapErr((failure) => (failure.kind === 'upstream' ? { ...failure, service: 'claims' } : failure)),
    })),
    'fails as unreachable when its source refuses connections',
  ],
  [
    'reports a slow source as malformed',
    withEligibility((eligibility) => ({
      accumulators: (of) =>
        eligibility
          .accumulators(of)
          .mapErr((failure) => (failure.kind === 'upstream' ? { ...failure, reason: 'malformed' } : failure)),
    })),
    'fails as timeout when its source does not respond in time',
  ],
]);
