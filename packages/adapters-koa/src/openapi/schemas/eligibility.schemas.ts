import type { Schema } from '../format.ts';
import { amount, code, currency, date, dateOrNull, list, object, schemaOf, string } from './schema-builders.ts';

const person = {
  name: string('Name, as printed on the ID card.', 'Sample Member A'),
  relationship: code(
    'Relationship to the subscriber. FHIR `Coverage.relationship`, value set subscriber-relationship.',
    'child',
    'parent',
    'spouse',
    'common',
    'other',
    'self',
    'injured',
  ),
};

const balancesByTier = (description: string): Schema => ({ ...schemaOf('BalancesByTier'), description });

export const eligibilitySchemas: Readonly<Record<string, Schema>> = {
  Coverage: object(
    'The member’s coverage. Recommended: FHIR R4 Coverage with the CARIN for Blue Button profile C4BB Coverage, with one flat object per element.',
    {
      locator: string('Locator of the coverage. FHIR `Coverage.identifier`.', 'COV-1001'),
      status: code(
        'Status of the coverage. FHIR `Coverage.status`, value set fm-status.',
        'active',
        'cancelled',
        'draft',
        'entered-in-error',
      ),
      plan: object('The plan. FHIR `Coverage.class` of type `plan`.', {
        code: string('Code of the plan. FHIR `Coverage.class.value`.', 'PPO-1500'),
        name: string('Name of the plan. FHIR `Coverage.class.name`.', 'Sample Choice PPO 1500'),
        type: string('Type of the plan. FHIR `Coverage.type`.', 'PPO', 'HMO', 'EPO', 'POS', 'HDHP'),
      }),
      memberId: string(
        'The member’s id. FHIR `Coverage.subscriberId` and `Coverage.dependent`; printed on the ID card.',
        'SMP100100101',
      ),
      group: object('The group. FHIR `Coverage.class` of type `group`.', {
        number: string('Number of the group. FHIR `Coverage.class.value`.', 'GRP-0420'),
        name: string('Name of the group. FHIR `Coverage.class.name`; usually the employer.'),
      }),
      effectiveDate: date('First day of the coverage. FHIR `Coverage.period.start`.'),
      terminationDate: dateOrNull(
        'Last day of the coverage. FHIR `Coverage.period.end`; null if no end date is known.',
      ),
      network: object('The network of the plan. FHIR `Coverage.network`: the providers under contract with the plan.', {
        code: string('The insurer’s code.', 'NET-CHOICE'),
        name: string('Name of the network.'),
      }),
      tier: string('Coverage tier: who is enrolled.', 'employee', 'employee-and-family'),
      subscriber: object('The subscriber. FHIR `Coverage.subscriber`.', person),
      dependents: list(
        object('A dependent. FHIR `Coverage.beneficiary` of a dependent.', {
          ...person,
          dateOfBirth: date('Date of birth. FHIR `Patient.birthDate`.'),
          effectiveDate: date('First day of the dependent’s coverage. FHIR `Coverage.period.start`.'),
        }),
        'The dependents on the policy.',
      ),
      currency,
      copays: list(
        object('The copayment for one kind of service. FHIR `Coverage.costToBeneficiary`.', {
          service: string('The kind of service. FHIR `costToBeneficiary.type`.', 'Primary care visit'),
          amount: amount('Amount of the copayment. FHIR `costToBeneficiary.valueMoney`.'),
        }),
        'Copayments per kind of service.',
      ),
      coinsurance: object('The member’s share once the deductible is met.', {
        inNetwork: object('For providers in the plan’s network.', { memberPercent: amount('Percentage, 0 to 100.') }),
        outOfNetwork: object('For providers outside the plan’s network.', {
          memberPercent: amount('Percentage, 0 to 100.'),
        }),
      }),
      pharmacy: object('Identifiers for pharmacy claims. FHIR `Coverage.class` of types `rxbin`, `rxpcn`, `rxgroup`.', {
        bin: string('NCPDP processor id.', '000000'),
        pcn: string('Processor control number.', 'SAMPLE'),
        group: string('Pharmacy group.', 'SMPRX1'),
      }),
    },
  ),
  Accumulators: object(
    'The amounts used of the plan’s limits. Recommended: FHIR R4 `ExplanationOfBenefit.benefitBalance`, one per limit, tier and network.',
    {
      currency,
      benefitPeriod: object(
        'The benefit period. FHIR `ExplanationOfBenefit.benefitPeriod`; both dates are inclusive.',
        {
          start: date('The first day.'),
          end: date('The last day.'),
        },
      ),
      deductible: balancesByTier('Amount that the member pays before the plan starts to pay.'),
      outOfPocketMaximum: balancesByTier('Maximum amount that the member pays in the benefit period.'),
    },
  ),
  BalancesByTier: object(
    'The balances of a limit by tier. FHIR: `benefitBalance.unit` is the tier and `benefitBalance.network` is the network.',
    {
      individual: { ...schemaOf('BalancesByNetwork'), description: 'The member’s own accumulators.' },
      family: { ...schemaOf('BalancesByNetwork'), description: 'The accumulators of all members on the policy.' },
    },
  ),
  BalancesByNetwork: object('The balances for providers in the plan’s network, and outside of it.', {
    inNetwork: schemaOf('Balance'),
    outOfNetwork: schemaOf('Balance'),
  }),
  Balance: object('A limit of the plan and the amount used so far. FHIR `ExplanationOfBenefit.benefitBalance`.', {
    limit: amount('The limit of the plan. FHIR `benefitBalance.financial.allowed[x]`.'),
    used: amount('The amount used so far. FHIR `benefitBalance.financial.used[x]`.'),
    remaining: amount('`limit` minus `used`.'),
  }),
};
