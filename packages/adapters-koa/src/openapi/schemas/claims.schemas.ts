import type { Schema } from '../format.ts';
import {
  amount,
  amountOrNull,
  code,
  currency,
  date,
  dateOrNull,
  identifier,
  list,
  object,
  text,
} from './schema-words.ts';

/** The amounts of a claim or of one of its lines, by the adjudication codes of FHIR (HL7) and CARIN (C4BB Adjudication). */
const amounts = {
  billedAmount: amount('What the provider asked for. Adjudication `submitted`.'),
  allowedAmount: amountOrNull('What the plan takes for a fair price. Adjudication `eligible`.'),
  planPaidAmount: amountOrNull('What the plan pays. Adjudication `benefit`.'),
  memberResponsibilityAmount: amountOrNull('What is left for the member. C4BB Adjudication `memberliability`.'),
};

const adjustment = object('Why a part of the billed amount was not paid by the plan.', {
  groupCode: code(
    'Who bears it. X12 claim adjustment group code, as in the 835 remittance (CAS01).',
    'CO',
    'OA',
    'PI',
    'PR',
  ),
  reasonCode: {
    type: 'string',
    pattern: '^[A-Z]{0,2}[0-9]{1,3}$',
    description: 'X12 claim adjustment reason code. C4BB `adjudication.reason`.',
    examples: ['1', '45', '197'],
  },
  description: text('The reason in words.', 'Deductible'),
  amount: amount('How much.'),
});

const serviceLine = object('One item of the claim. FHIR `ExplanationOfBenefit.item`.', {
  lineNumber: { type: 'integer', minimum: 1, description: 'FHIR `item.sequence`.' },
  procedureCode: text('FHIR `item.productOrService`: CPT or HCPCS, a modifier behind a hyphen.', '99213'),
  description: text('What was done.'),
  serviceDate: date('FHIR `item.serviced[x]`.'),
  units: { type: 'number', description: 'FHIR `item.quantity`.' },
  ...amounts,
  deductibleAmount: amountOrNull('Counted towards the deductible. Adjudication `deductible`.'),
  copayAmount: amountOrNull('Adjudication `copay`.'),
  coinsuranceAmount: amountOrNull('C4BB Adjudication `coinsurance`.'),
  adjustments: list(adjustment, 'Why the plan does not pay all of it.'),
});

export const claimsSchemas: Readonly<Record<string, Schema>> = {
  ExplanationOfBenefit: object(
    'What became of a claim: on the member’s claims, and in words in a document of type `eob`. Recommended: FHIR R4 ExplanationOfBenefit as the CARIN for Blue Button profiles have it. Amounts are null until the claim is adjudicated.',
    {
      adjudicatedDate: dateOrNull('FHIR `ExplanationOfBenefit.created`; null until then.'),
      currency,
      ...amounts,
      serviceLines: list(serviceLine, 'FHIR `ExplanationOfBenefit.item`.'),
      eobDocumentLocator: {
        type: ['string', 'null'],
        description: 'Under which locator `/me/documents/{locator}` has the PDF; null where there is none.',
        examples: ['DOC-EOB-1001-05'],
      },
    },
  ),
  Claim: {
    ...object(
      'A claim and what became of it. Recommended: FHIR R4 Claim and ExplanationOfBenefit. Only `locator` is relied on: it is what the claim is read by.',
      {
        locator: identifier('FHIR `Claim.identifier`.', 'CLM-1001-01'),
        status: code(
          'Where it stands. FHIR `ExplanationOfBenefit.outcome`: `received` and `in-review` are `queued`, `paid` and `denied` are `complete`.',
          'received',
          'in-review',
          'paid',
          'denied',
        ),
        type: code(
          'FHIR `Claim.type`, code system claim-type.',
          'institutional',
          'oral',
          'pharmacy',
          'professional',
          'vision',
        ),
        patient: object('FHIR `Claim.patient`.', {
          name: text('As on the claim.'),
          relationship: text('To the subscriber. FHIR value set subscriber-relationship.', 'self', 'spouse', 'child'),
        }),
        provider: object('FHIR `Claim.provider`.', {
          name: text('What it is called.'),
          npi: { type: 'string', pattern: '^[0-9]{10}$', description: 'US National Provider Identifier.' },
          specialty: text('FHIR `PractitionerRole.specialty`.'),
          network: code('C4BB Payer Adjudication Status `innetwork`, `outofnetwork`.', 'inNetwork', 'outOfNetwork'),
        }),
        serviceDates: object('FHIR `Claim.billablePeriod`.', { from: date('First day.'), to: date('Last day.') }),
        receivedDate: date('When the claims system had it. C4BB supporting info `clmrecvddate`.'),
        diagnosisCodes: list(text('ICD-10-CM.', 'M25.561'), 'FHIR `Claim.diagnosis`, the principal one first.'),
      },
      'locator',
    ),
    allOf: [{ $ref: '#/components/schemas/ExplanationOfBenefit' }],
  },
  ClaimList: object('The member’s claims, newest first.', {
    claims: list({ $ref: '#/components/schemas/Claim' }, 'Of the page that was asked for.'),
  }),
};
