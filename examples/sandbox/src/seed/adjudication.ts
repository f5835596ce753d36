export type Network = 'inNetwork' | 'outOfNetwork';
type ClaimStatus = 'received' | 'in-review' | 'paid' | 'denied';

/** Why the plan did not pay a part of the billed amount: X12 group code and claim adjustment reason code. */
type Adjustment = {
  readonly groupCode: 'CO' | 'PR';
  readonly reasonCode: '1' | '2' | '3' | '29' | '45' | '197';
  readonly description: string;
  readonly amount: number;
};

/** Amounts are in dollars with at most two decimals; `null` before adjudication. */
export type SeedServiceLine = {
  readonly lineNumber: number;
  readonly procedureCode: string;
  readonly description: string;
  readonly serviceDate: string;
  readonly units: number;
  readonly billedAmount: number;
  readonly allowedAmount: number | null;
  readonly planPaidAmount: number | null;
  readonly deductibleAmount: number | null;
  readonly copayAmount: number | null;
  readonly coinsuranceAmount: number | null;
  readonly memberResponsibilityAmount: number | null;
  readonly adjustments: readonly Adjustment[];
};

export type SeedClaim = {
  readonly locator: string;
  readonly status: ClaimStatus;
  readonly type: 'professional' | 'institutional';
  readonly patient: { readonly name: string; readonly relationship: 'self' | 'spouse' | 'child' };
  readonly provider: {
    readonly name: string;
    readonly npi: string;
    readonly specialty: string;
    readonly network: Network;
  };
  readonly serviceDates: { readonly from: string; readonly to: string };
  readonly receivedDate: string;
  readonly adjudicatedDate: string | null;
  readonly diagnosisCodes: readonly string[];
  readonly currency: 'USD';
  readonly billedAmount: number;
  readonly allowedAmount: number | null;
  readonly planPaidAmount: number | null;
  readonly memberResponsibilityAmount: number | null;
  readonly serviceLines: readonly SeedServiceLine[];
  readonly eobDocumentLocator: string | null;
};

/** `allowed` without `denied` is a paid line; a line with neither is not adjudicated yet. */
type LineDraft = {
  readonly code: string;
  readonly description: string;
  readonly billed: number;
  readonly units?: number;
  readonly allowed?: number;
  readonly deductible?: number;
  readonly copay?: number;
  readonly coinsurance?: number;
  readonly denied?: '29' | '197';
};

export type ClaimDraft = Pick<SeedClaim, 'locator' | 'type' | 'patient' | 'provider' | 'diagnosisCodes'> & {
  readonly status: ClaimStatus;
  readonly served: string;
  readonly received: string;
  readonly adjudicated?: string;
  readonly lines: readonly LineDraft[];
};

/** Computes all amounts and reasons of a claim from its lines. */
export const adjudicate = (draft: ClaimDraft): SeedClaim => {
  const serviceLines = draft.lines.map((line, index) => serviceLine(line, index + 1, draft.served));
  const adjudicated = draft.adjudicated !== undefined;
  const total = (amount: (line: SeedServiceLine) => number | null) =>
    adjudicated ? sum(serviceLines.map((line) => amount(line) ?? 0)) : null;
  return {
    locator: draft.locator,
    status: draft.status,
    type: draft.type,
    patient: draft.patient,
    provider: draft.provider,
    serviceDates: { from: draft.served, to: draft.served },
    receivedDate: draft.received,
    adjudicatedDate: draft.adjudicated ?? null,
    diagnosisCodes: draft.diagnosisCodes,
    currency: 'USD',
    billedAmount: sum(serviceLines.map((line) => line.billedAmount)),
    allowedAmount: total((line) => line.allowedAmount),
    planPaidAmount: total((line) => line.planPaidAmount),
    memberResponsibilityAmount: total((line) => line.memberResponsibilityAmount),
    serviceLines,
    eobDocumentLocator: adjudicated ? draft.locator.replace(/^CLM-/, 'DOC-EOB-') : null,
  };
};

/** Adds dollars, rounded to cents. */
export const sum = (dollars: readonly number[]): number =>
  dollars.reduce((cents, amount) => cents + Math.round(amount * 100), 0) / 100;

const reasons = {
  '1': 'Deductible',
  '2': 'Coinsurance',
  '3': 'Copay',
  '29': 'Claim arrived after the filing limit',
  '45': 'Above the fee agreed with the provider',
  '197': 'No prior authorization on file',
} satisfies Record<Adjustment['reasonCode'], string>;

const adjustment = (
  groupCode: Adjustment['groupCode'],
  reasonCode: Adjustment['reasonCode'],
  amount: number,
): Adjustment => ({ groupCode, reasonCode, description: reasons[reasonCode], amount });

const serviceLine = (line: LineDraft, lineNumber: number, serviceDate: string): SeedServiceLine => {
  const billed = {
    lineNumber,
    procedureCode: line.code,
    description: line.description,
    serviceDate,
    units: line.units ?? 1,
    billedAmount: line.billed,
  };
  if (line.denied === undefined && line.allowed === undefined) return { ...billed, ...unknownAmounts };

  const { allowed = 0, deductible = 0, copay = 0, coinsurance = 0 } = line;
  const member = sum([deductible, copay, coinsurance]);
  return {
    ...billed,
    allowedAmount: allowed,
    planPaidAmount: sum([allowed, -member]),
    deductibleAmount: deductible,
    copayAmount: copay,
    coinsuranceAmount: coinsurance,
    memberResponsibilityAmount: member,
    adjustments: [
      adjustment('CO', line.denied ?? '45', sum([line.billed, -allowed])),
      adjustment('PR', '1', deductible),
      adjustment('PR', '2', coinsurance),
      adjustment('PR', '3', copay),
    ].filter(({ amount }) => amount > 0),
  };
};

const unknownAmounts = {
  allowedAmount: null,
  planPaidAmount: null,
  deductibleAmount: null,
  copayAmount: null,
  coinsuranceAmount: null,
  memberResponsibilityAmount: null,
  adjustments: [],
} as const;
