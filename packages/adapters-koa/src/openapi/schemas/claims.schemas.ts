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
  schemaOf,
  string,
} from './schema-builders.ts';

/** The amounts of a claim or of one of its lines, by the adjudication codes of FHIR (HL7) and CARIN (C4BB Adjudication). */
const amounts = {
  billedAmount: amount('Amount that the provider billed. Adjudication `submitted`.'),
  allowedAmount: amountOrNull('Amount that the plan allows. Adjudication `eligible`.'),
  planPaidAmount: amountOrNull('Amount that the plan pays. Adjudication `benefit`.'),
  memberResponsibilityAmount: amountOrNull('Amount that the member owes. C4BB Adjudication `memberliability`.'),
};

const adjustment = object('A part of the billed amount that the plan does not pay, with the reason.', {
  groupCode: code(
    'Who is responsible for the amount. X12 claim adjustment group code, as in the 835 remittance (CAS01).',
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
  description: string('Description of the reason.', 'Deductible'),
  amount: amount('Amount that is not paid.'),
});

const serviceLine = object('One item of the claim. FHIR `ExplanationOfBenefit.item`.', {
  lineNumber: { type: 'integer', minimum: 1, description: 'Number of the line. FHIR `item.sequence`.' },
  procedureCode: string(
    'Procedure code. FHIR `item.productOrService`: CPT or HCPCS code, with an optional modifier after a hyphen.',
    '99213',
  ),
  description: string('Description of the service.'),
  serviceDate: date('Date of the service. FHIR `item.serviced[x]`.'),
  units: { type: 'number', description: 'Number of units. FHIR `item.quantity`.' },
  ...amounts,
  deductibleAmount: amountOrNull('Amount applied to the deductible. Adjudication `deductible`.'),
  copayAmount: amountOrNull('Copayment of the member. Adjudication `copay`.'),
  coinsuranceAmount: amountOrNull('Coinsurance of the member. C4BB Adjudication `coinsurance`.'),
  adjustments: list(adjustment, 'The parts of the billed amount that the plan does not pay.'),
});

export const claimsSchemas: Readonly<Record<string, Schema>> = {
  ExplanationOfBenefit: object(
    'The adjudication of a claim. It is part of each claim, and a document of type `eob` contains it as a PDF. Recommended: FHIR R4 ExplanationOfBenefit with the CARIN for Blue Button profiles. Amounts are null until the claim is adjudicated.',
    {
      adjudicatedDate: dateOrNull(
        'Date of the adjudication. FHIR `ExplanationOfBenefit.created`; null until the claim is adjudicated.',
      ),
      currency,
      ...amounts,
      serviceLines: list(serviceLine, 'The lines of the claim. FHIR `ExplanationOfBenefit.item`.'),
      eobDocumentLocator: {
        type: ['string', 'null'],
        description: 'The locator of the PDF under `/me/documents/{locator}`, or null if there is no PDF.',
        examples: ['DOC-EOB-1001-05'],
      },
    },
  ),
  Claim: {
    ...object(
      'A claim and its adjudication. Recommended: FHIR R4 Claim and ExplanationOfBenefit. Portico uses only `locator`, which identifies the claim in `/me/claims/{locator}`.',
      {
        locator: identifier('Locator of the claim. FHIR `Claim.identifier`.', 'CLM-1001-01'),
        status: code(
          'Status of the claim. FHIR `ExplanationOfBenefit.outcome`: `received` and `in-review` correspond to `queued`, `paid` and `denied` to `complete`.',
          'received',
          'in-review',
          'paid',
          'denied',
        ),
        type: code(
          'Type of the claim. FHIR `Claim.type`, code system claim-type.',
          'institutional',
          'oral',
          'pharmacy',
          'professional',
          'vision',
        ),
        patient: object('The patient. FHIR `Claim.patient`.', {
          name: string('Name of the patient, as on the claim.'),
          relationship: string(
            'Relationship to the subscriber. FHIR value set subscriber-relationship.',
            'self',
            'spouse',
            'child',
          ),
        }),
        provider: object('The provider. FHIR `Claim.provider`.', {
          name: string('Name of the provider.'),
          npi: { type: 'string', pattern: '^[0-9]{10}$', description: 'US National Provider Identifier.' },
          specialty: string('Specialty of the provider. FHIR `PractitionerRole.specialty`.'),
          network: code('C4BB Payer Adjudication Status `innetwork`, `outofnetwork`.', 'inNetwork', 'outOfNetwork'),
        }),
        serviceDates: object('Period of the services. FHIR `Claim.billablePeriod`.', {
          from: date('First day.'),
          to: date('Last day.'),
        }),
        receivedDate: date('Date on which the claims system received the claim. C4BB supporting info `clmrecvddate`.'),
        diagnosisCodes: list(
          string('ICD-10-CM code.', 'M25.561'),
          'Diagnoses. FHIR `Claim.diagnosis`, the principal one first.',
        ),
      },
    ),
    allOf: [schemaOf('ExplanationOfBenefit')],
  },
  ClaimList: object('The member’s claims, newest first.', {
    claims: list(schemaOf('Claim'), 'The claims of the requested page.'),
  }),
};
