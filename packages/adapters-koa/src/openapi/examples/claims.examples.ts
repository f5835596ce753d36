/** Examples of the OpenAPI document, equal to what the sandbox returns for `member-a` (e2e/documentation/openapi.test.ts). Lists are shortened. */

export const claim = {
  locator: 'CLM-1001-01',
  status: 'paid',
  type: 'professional',
  patient: { name: 'Sample Member A', relationship: 'self' },
  provider: { name: 'Example Imaging Center', npi: '0000000002', specialty: 'Radiology', network: 'inNetwork' },
  serviceDates: { from: '2026-02-12', to: '2026-02-12' },
  receivedDate: '2026-02-17',
  adjudicatedDate: '2026-02-27',
  diagnosisCodes: ['M25.561'],
  currency: 'USD',
  billedAmount: 1850,
  allowedAmount: 920,
  planPaidAmount: 0,
  memberResponsibilityAmount: 920,
  serviceLines: [
    {
      lineNumber: 1,
      procedureCode: '73721-TC',
      description: 'MRI of the knee, scan',
      serviceDate: '2026-02-12',
      units: 1,
      billedAmount: 1480,
      allowedAmount: 735,
      planPaidAmount: 0,
      deductibleAmount: 735,
      copayAmount: 0,
      coinsuranceAmount: 0,
      memberResponsibilityAmount: 735,
      adjustments: [
        { groupCode: 'CO', reasonCode: '45', description: 'Above the fee agreed with the provider', amount: 745 },
        { groupCode: 'PR', reasonCode: '1', description: 'Deductible', amount: 735 },
      ],
    },
    {
      lineNumber: 2,
      procedureCode: '73721-26',
      description: 'MRI of the knee, reading',
      serviceDate: '2026-02-12',
      units: 1,
      billedAmount: 370,
      allowedAmount: 185,
      planPaidAmount: 0,
      deductibleAmount: 185,
      copayAmount: 0,
      coinsuranceAmount: 0,
      memberResponsibilityAmount: 185,
      adjustments: [
        { groupCode: 'CO', reasonCode: '45', description: 'Above the fee agreed with the provider', amount: 185 },
        { groupCode: 'PR', reasonCode: '1', description: 'Deductible', amount: 185 },
      ],
    },
  ],
  eobDocumentLocator: 'DOC-EOB-1001-01',
};

export const claimList = {
  claims: [
    {
      locator: 'CLM-1001-06',
      status: 'in-review',
      type: 'professional',
      patient: { name: 'Sample Member A', relationship: 'self' },
      provider: {
        name: 'Example Orthopedic Group',
        npi: '0000000003',
        specialty: 'Orthopedic surgery',
        network: 'inNetwork',
      },
      serviceDates: { from: '2026-06-18', to: '2026-06-18' },
      receivedDate: '2026-06-22',
      adjudicatedDate: null,
      diagnosisCodes: ['M25.561'],
      currency: 'USD',
      billedAmount: 210,
      allowedAmount: null,
      planPaidAmount: null,
      memberResponsibilityAmount: null,
      serviceLines: [
        {
          lineNumber: 1,
          procedureCode: '99213',
          description: 'Follow-up visit, knee',
          serviceDate: '2026-06-18',
          units: 1,
          billedAmount: 210,
          allowedAmount: null,
          planPaidAmount: null,
          deductibleAmount: null,
          copayAmount: null,
          coinsuranceAmount: null,
          memberResponsibilityAmount: null,
          adjustments: [],
        },
      ],
      eobDocumentLocator: null,
    },
  ],
};

export const claimDraft = {
  type: 'professional',
  serviceDates: { from: '2026-06-18', to: '2026-06-18' },
  billedAmount: 120,
};

export const submittedClaim = { ...claimDraft, locator: 'CLM-NEW-1', status: 'received' };
