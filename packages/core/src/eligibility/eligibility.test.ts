import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { notFound, upstream } from '../shared/failure.ts';
import { toJson } from '../shared/json/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { fakeEligibility } from './eligibility.fake.ts';
import { getAccumulators, getCoverage } from './eligibility.ts';

const member = aMember('PTY-1');
const unknown = aMember('PTY-3');
const records = () =>
  fakeEligibility({
    'PTY-1': { coverage: { plan: 'gold' }, accumulators: { deductible: '100.00' } },
    'PTY-2': { coverage: { plan: 'silver' }, accumulators: { deductible: '0.00' } },
  });

describe('eligibility', () => {
  it("returns the member's coverage", async () => {
    expect(await getCoverage(records())(member)).toEqual(ok(toJson({ plan: 'gold' })));
  });

  it("returns the member's accumulators", async () => {
    expect(await getAccumulators(records())(member)).toEqual(ok(toJson({ deductible: '100.00' })));
  });

  it('fails not-found for an unknown member', async () => {
    expect(await getCoverage(records())(unknown)).toEqual(err(notFound('eligibility')));
    expect(await getAccumulators(records())(unknown)).toEqual(err(notFound('eligibility')));
  });

  it('fails while the eligibility system fails, and recovers afterwards', async () => {
    const eligibility = records();
    eligibility.failWith(upstream('eligibility', 'circuit-open'));
    expect(await getCoverage(eligibility)(member)).toEqual(err(upstream('eligibility', 'circuit-open')));
    eligibility.failWith(undefined);
    expect(await getCoverage(eligibility)(member)).toEqual(ok(toJson({ plan: 'gold' })));
  });
});
