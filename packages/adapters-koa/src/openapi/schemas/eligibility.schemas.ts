import type { Schema } from '../format.ts';
import { amount, code, currency, date, dateOrNull, list, object, text } from './schema-words.ts';

const person = {
  name: text('As printed on the ID card.', 'Sample Member A'),
  relationship: code(
    'To the subscriber. FHIR `Coverage.relationship`, value set subscriber-relationship.',
    'child',
    'parent',
    'spouse',
    'common',
    'other',
    'self',
    'injured',
  ),
};

const balance = object(
  'One limit of the plan, and what is used up of it. FHIR `ExplanationOfBenefit.benefitBalance`.',
  {
    limit: amount('FHIR `benefitBalance.financial.allowed[x]`.'),
    used: amount('FHIR `benefitBalance.financial.used[x]`.'),
    remaining: amount('`limit` less `used`.'),
  },
);

const byNetwork = (description: string) =>
  object(description, {
    inNetwork: balance,
    outOfNetwork: balance,
  });

const byTier = (description: string) =>
  object(`${description} FHIR: \`benefitBalance.unit\` is the tier, \`benefitBalance.network\` the network.`, {
    individual: byNetwork('Of the member alone.'),
    family: byNetwork('Of everybody on the policy.'),
  });

export const eligibilitySchemas: Readonly<Record<string, Schema>> = {
  Coverage: object(
    'What the member is covered by. Recommended: follows FHIR R4 Coverage and the CARIN for Blue Button profile C4BB Coverage, one flat object for each of their elements.',
    {
      locator: text('FHIR `Coverage.identifier`.', 'COV-1001'),
      status: code('FHIR `Coverage.status`, value set fm-status.', 'active', 'cancelled', 'draft', 'entered-in-error'),
      plan: object('FHIR `Coverage.class` of type `plan`.', {
        code: text('FHIR `Coverage.class.value`.', 'PPO-1500'),
        name: text('FHIR `Coverage.class.name`.', 'Sample Choice PPO 1500'),
        type: text('FHIR `Coverage.type`.', 'PPO', 'HMO', 'EPO', 'POS', 'HDHP'),
      }),
      memberId: text('FHIR `Coverage.subscriberId` and `Coverage.dependent`; printed on the ID card.', 'SMP100100101'),
      group: object('FHIR `Coverage.class` of type `group`.', {
        number: text('FHIR `Coverage.class.value`.', 'GRP-0420'),
        name: text('FHIR `Coverage.class.name`; usually the employer.'),
      }),
      effectiveDate: date('FHIR `Coverage.period.start`.'),
      terminationDate: dateOrNull('FHIR `Coverage.period.end`; null while no end is known.'),
      network: object('FHIR `Coverage.network`: the providers that the plan has agreements with.', {
        code: text('The insurer’s code.', 'NET-CHOICE'),
        name: text('What people call it.'),
      }),
      tier: text('Who is enrolled.', 'employee', 'employee-and-family'),
      subscriber: object('FHIR `Coverage.subscriber`.', person),
      dependents: list(
        object('FHIR `Coverage.beneficiary` of a dependent.', {
          ...person,
          dateOfBirth: date('FHIR `Patient.birthDate`.'),
          effectiveDate: date('FHIR `Coverage.period.start`.'),
        }),
        'Everybody else on the policy.',
      ),
      currency,
      copays: list(
        object('FHIR `Coverage.costToBeneficiary`.', {
          service: text('FHIR `costToBeneficiary.type`.', 'Primary care visit'),
          amount: amount('FHIR `costToBeneficiary.valueMoney`.'),
        }),
        'What the member pays for a visit.',
      ),
      coinsurance: object('The member’s share once the deductible is met.', {
        inNetwork: object('In the plan’s network.', { memberPercent: amount('0 to 100.') }),
        outOfNetwork: object('Outside it.', { memberPercent: amount('0 to 100.') }),
      }),
      pharmacy: object('What a pharmacy asks for. FHIR `Coverage.class` of types `rxbin`, `rxpcn`, `rxgroup`.', {
        bin: text('NCPDP processor id.', '000000'),
        pcn: text('Processor control number.', 'SAMPLE'),
        group: text('Pharmacy group.', 'SMPRX1'),
      }),
    },
  ),
  Accumulators: object(
    'What is used up of the plan’s limits. Recommended: FHIR R4 `ExplanationOfBenefit.benefitBalance`, one for each limit, tier and network.',
    {
      currency,
      benefitPeriod: object('FHIR `ExplanationOfBenefit.benefitPeriod`; both days are in it.', {
        start: date('The first day.'),
        end: date('The last day.'),
      }),
      deductible: byTier('What the member pays before the plan does.'),
      outOfPocketMaximum: byTier('The most that the member pays in the period.'),
    },
  ),
};
