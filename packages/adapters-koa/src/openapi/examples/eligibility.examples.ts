/** Examples of the OpenAPI document, equal to what the sandbox returns for `member-a` (e2e/documentation/openapi.test.ts). */

export const coverage = {
  locator: 'COV-1001',
  status: 'active',
  plan: { code: 'PPO-1500', name: 'Sample Choice PPO 1500', type: 'PPO' },
  memberId: 'SMP100100101',
  group: { number: 'GRP-0420', name: 'Example Manufacturing' },
  effectiveDate: '2026-01-01',
  terminationDate: null,
  network: { code: 'NET-CHOICE', name: 'Sample Choice Network' },
  tier: 'employee-and-family',
  subscriber: { name: 'Sample Member A', relationship: 'self' },
  dependents: [
    { name: 'Sample Dependent A1', relationship: 'spouse', dateOfBirth: '1986-09-30', effectiveDate: '2026-01-01' },
    { name: 'Sample Dependent A2', relationship: 'child', dateOfBirth: '2015-05-11', effectiveDate: '2026-01-01' },
  ],
  currency: 'USD',
  copays: [
    { service: 'Primary care visit', amount: 25 },
    { service: 'Specialist visit', amount: 50 },
    { service: 'Urgent care', amount: 75 },
    { service: 'Emergency room', amount: 250 },
  ],
  coinsurance: { inNetwork: { memberPercent: 20 }, outOfNetwork: { memberPercent: 40 } },
  pharmacy: { bin: '000000', pcn: 'SAMPLE', group: 'SMPRX1' },
};

export const accumulators = {
  currency: 'USD',
  benefitPeriod: { start: '2026-01-01', end: '2026-12-31' },
  deductible: {
    individual: {
      inNetwork: { limit: 1500, used: 1500, remaining: 0 },
      outOfNetwork: { limit: 3000, used: 157.75, remaining: 2842.25 },
    },
    family: {
      inNetwork: { limit: 3000, used: 2140, remaining: 860 },
      outOfNetwork: { limit: 6000, used: 157.75, remaining: 5842.25 },
    },
  },
  outOfPocketMaximum: {
    individual: {
      inNetwork: { limit: 5000, used: 1594, remaining: 3406 },
      outOfNetwork: { limit: 10000, used: 157.75, remaining: 9842.25 },
    },
    family: {
      inNetwork: { limit: 10000, used: 2284, remaining: 7716 },
      outOfNetwork: { limit: 20000, used: 157.75, remaining: 19842.25 },
    },
  },
};
