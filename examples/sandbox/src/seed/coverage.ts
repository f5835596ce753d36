import type { PlanCode } from './accumulators.ts';
import type { Network } from './adjudication.ts';

export type SeedCoverage = {
  readonly locator: string;
  readonly status: 'active';
  readonly plan: { readonly code: PlanCode; readonly name: string; readonly type: 'PPO' | 'HDHP' | 'POS' };
  readonly memberId: string;
  readonly group: { readonly number: string; readonly name: string };
  readonly effectiveDate: string;
  readonly terminationDate: string | null;
  readonly network: { readonly code: string; readonly name: string };
  readonly tier: 'employee' | 'employee-and-family';
  readonly subscriber: { readonly name: string; readonly relationship: 'self' };
  readonly dependents: readonly {
    readonly name: string;
    readonly relationship: 'spouse' | 'child';
    readonly dateOfBirth: string;
    readonly effectiveDate: string;
  }[];
  readonly currency: 'USD';
  readonly copays: readonly { readonly service: string; readonly amount: number }[];
  readonly coinsurance: Readonly<Record<Network, { readonly memberPercent: number }>>;
  readonly pharmacy: { readonly bin: string; readonly pcn: string; readonly group: string };
};

export const coverageOfA: SeedCoverage = {
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

export const coverageOfB: SeedCoverage = {
  locator: 'COV-1002',
  status: 'active',
  plan: { code: 'HDHP-3400', name: 'Sample Saver HDHP 3400', type: 'HDHP' },
  memberId: 'SMP100200101',
  group: { number: 'GRP-0771', name: 'Example Software' },
  effectiveDate: '2025-07-01',
  terminationDate: null,
  network: { code: 'NET-CHOICE', name: 'Sample Choice Network' },
  tier: 'employee',
  subscriber: { name: 'Sample Member B', relationship: 'self' },
  dependents: [],
  currency: 'USD',
  copays: [],
  coinsurance: { inNetwork: { memberPercent: 10 }, outOfNetwork: { memberPercent: 40 } },
  pharmacy: { bin: '000000', pcn: 'SAMPLE', group: 'SMPRX2' },
};

export const coverageOfC: SeedCoverage = {
  locator: 'COV-1003',
  status: 'active',
  plan: { code: 'POS-500', name: 'Sample Care POS 500', type: 'POS' },
  memberId: 'SMP100300101',
  group: { number: 'GRP-0108', name: 'Example Logistics' },
  effectiveDate: '2026-01-01',
  terminationDate: '2026-12-31',
  network: { code: 'NET-CARE', name: 'Sample Care Network' },
  tier: 'employee',
  subscriber: { name: 'Sample Member C', relationship: 'self' },
  dependents: [],
  currency: 'USD',
  copays: [
    { service: 'Primary care visit', amount: 30 },
    { service: 'Specialist visit', amount: 60 },
    { service: 'Urgent care', amount: 80 },
    { service: 'Emergency room', amount: 300 },
  ],
  coinsurance: { inNetwork: { memberPercent: 15 }, outOfNetwork: { memberPercent: 50 } },
  pharmacy: { bin: '000000', pcn: 'SAMPLE', group: 'SMPRX3' },
};
