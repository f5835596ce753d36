import { adjudicate, type SeedClaim } from './adjudication.ts';
import { familyPractice, hospital, imaging, laboratory, orthopedics, therapy } from './providers.ts';

const memberA = { name: 'Sample Member A', relationship: 'self' } as const;
const childOfA = { name: 'Sample Dependent A2', relationship: 'child' } as const;
const memberB = { name: 'Sample Member B', relationship: 'self' } as const;
const memberC = { name: 'Sample Member C', relationship: 'self' } as const;

/** Newest first, as in a claims system. */
export const claimsOfA: readonly SeedClaim[] = [
  adjudicate({
    locator: 'CLM-1001-06',
    status: 'in-review',
    type: 'professional',
    patient: memberA,
    provider: orthopedics,
    served: '2026-06-18',
    received: '2026-06-22',
    diagnosisCodes: ['M25.561'],
    lines: [{ code: '99213', description: 'Follow-up visit, knee', billed: 210 }],
  }),
  adjudicate({
    locator: 'CLM-1001-05',
    status: 'denied',
    type: 'professional',
    patient: memberA,
    provider: therapy,
    served: '2026-05-04',
    received: '2026-05-08',
    adjudicated: '2026-05-19',
    diagnosisCodes: ['M25.561'],
    lines: [
      { code: '97161', description: 'Physical therapy evaluation', billed: 190, denied: '197' },
      { code: '97110', description: 'Therapeutic exercise, 15 minutes', units: 2, billed: 130, denied: '197' },
    ],
  }),
  adjudicate({
    locator: 'CLM-1001-04',
    status: 'paid',
    type: 'professional',
    patient: memberA,
    provider: laboratory,
    served: '2026-04-09',
    received: '2026-04-15',
    adjudicated: '2026-04-28',
    diagnosisCodes: ['Z13.220'],
    lines: [
      { code: '80061', description: 'Lipid panel', billed: 96.5, allowed: 96.5, deductible: 96.5 },
      { code: '83036', description: 'Hemoglobin A1c', billed: 61.25, allowed: 61.25, deductible: 61.25 },
    ],
  }),
  adjudicate({
    locator: 'CLM-1001-03',
    status: 'paid',
    type: 'institutional',
    patient: childOfA,
    provider: hospital,
    served: '2026-03-27',
    received: '2026-04-02',
    adjudicated: '2026-04-13',
    diagnosisCodes: ['S52.521A'],
    lines: [
      { code: '25600', description: 'Treatment of a wrist fracture', billed: 1240, allowed: 640, deductible: 640 },
      { code: '73110', description: 'X-ray of the wrist', billed: 210, allowed: 88.4, copay: 50 },
    ],
  }),
  adjudicate({
    locator: 'CLM-1001-02',
    status: 'paid',
    type: 'professional',
    patient: memberA,
    provider: orthopedics,
    served: '2026-03-05',
    received: '2026-03-09',
    adjudicated: '2026-03-20',
    diagnosisCodes: ['M25.561', 'M17.11'],
    lines: [
      { code: '99204', description: 'New patient visit', billed: 340, allowed: 218.6, copay: 50 },
      {
        code: '20610',
        description: 'Joint injection, knee',
        billed: 980,
        allowed: 800,
        deductible: 580,
        coinsurance: 44,
      },
    ],
  }),
  adjudicate({
    locator: 'CLM-1001-01',
    status: 'paid',
    type: 'professional',
    patient: memberA,
    provider: imaging,
    served: '2026-02-12',
    received: '2026-02-17',
    adjudicated: '2026-02-27',
    diagnosisCodes: ['M25.561'],
    lines: [
      { code: '73721-TC', description: 'MRI of the knee, scan', billed: 1480, allowed: 735, deductible: 735 },
      { code: '73721-26', description: 'MRI of the knee, reading', billed: 370, allowed: 185, deductible: 185 },
    ],
  }),
];

export const claimsOfB: readonly SeedClaim[] = [
  adjudicate({
    locator: 'CLM-1002-03',
    status: 'received',
    type: 'professional',
    patient: memberB,
    provider: familyPractice,
    served: '2026-06-29',
    received: '2026-07-01',
    diagnosisCodes: ['J06.9'],
    lines: [
      { code: '99213', description: 'Office visit', billed: 185 },
      { code: '87880', description: 'Rapid strep test', billed: 42 },
    ],
  }),
  adjudicate({
    locator: 'CLM-1002-02',
    status: 'paid',
    type: 'institutional',
    patient: memberB,
    provider: hospital,
    served: '2026-04-21',
    received: '2026-04-27',
    adjudicated: '2026-05-08',
    diagnosisCodes: ['S93.401A'],
    lines: [
      { code: '99283', description: 'Emergency visit', billed: 1150, allowed: 612.75, deductible: 612.75 },
      { code: '73610', description: 'X-ray of the ankle', billed: 195, allowed: 84.1, deductible: 84.1 },
    ],
  }),
  adjudicate({
    locator: 'CLM-1002-01',
    status: 'paid',
    type: 'professional',
    patient: memberB,
    provider: familyPractice,
    served: '2026-01-20',
    received: '2026-01-23',
    adjudicated: '2026-02-03',
    diagnosisCodes: ['Z00.00'],
    lines: [
      { code: '99396', description: 'Preventive visit', billed: 245, allowed: 190.3 },
      { code: '90471', description: 'Vaccine administration', billed: 40, allowed: 25 },
    ],
  }),
];

export const claimsOfC: readonly SeedClaim[] = [
  adjudicate({
    locator: 'CLM-1003-02',
    status: 'denied',
    type: 'professional',
    patient: memberC,
    provider: therapy,
    served: '2026-01-08',
    received: '2026-05-29',
    adjudicated: '2026-06-09',
    diagnosisCodes: ['M54.50'],
    lines: [{ code: '97140', description: 'Manual therapy, 15 minutes', units: 2, billed: 148, denied: '29' }],
  }),
  adjudicate({
    locator: 'CLM-1003-01',
    status: 'paid',
    type: 'professional',
    patient: memberC,
    provider: familyPractice,
    served: '2026-03-16',
    received: '2026-03-19',
    adjudicated: '2026-03-31',
    diagnosisCodes: ['R05.9'],
    lines: [
      { code: '99213', description: 'Office visit', billed: 185, allowed: 124.4, copay: 30 },
      { code: '71046', description: 'X-ray of the chest', billed: 160, allowed: 72.8, deductible: 72.8 },
    ],
  }),
];
