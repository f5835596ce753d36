import { accumulators, coverage } from '../examples/eligibility.examples.ts';
import { otherResponses, relayed } from '../responses.ts';
import { memberOperations } from '../operation-builders.ts';

export const eligibilityOperations = memberOperations('eligibility', {
  getCoverage: {
    summary: 'Get coverage',
    description: 'Returns the active coverage: plan, group, network, dependents, copayments and coinsurance.',
    responses: {
      200: relayed('Coverage', 'The member’s coverage, as returned by the eligibility service.', { example: coverage }),
      ...otherResponses(),
    },
  },
  getAccumulators: {
    summary: 'Get deductible and out-of-pocket accumulators',
    description:
      'Returns the used and the remaining part of the deductible and of the out-of-pocket maximum, per tier and network.',
    responses: {
      200: relayed('Accumulators', 'The member’s accumulators, as returned by the eligibility service.', {
        example: accumulators,
      }),
      ...otherResponses(),
    },
  },
});
