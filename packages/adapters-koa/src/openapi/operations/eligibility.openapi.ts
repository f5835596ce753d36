import { accumulators, coverage } from '../examples/eligibility.examples.ts';
import { bearer, noContent, relayed } from '../responses.ts';
import type { Operation } from '../format.ts';
import { memberProblems } from '../problems.ts';

export const eligibilityOperations = {
  getCoverage: {
    operationId: 'getCoverage',
    tags: ['eligibility'],
    summary: 'Get coverage',
    description: 'Returns the active coverage: plan, group, network, dependents, copayments and coinsurance.',
    security: bearer,
    responses: {
      200: relayed('Coverage', 'The member’s coverage, as returned by the eligibility service.', { example: coverage }),
      204: noContent,
      ...memberProblems(),
    },
  },
  getAccumulators: {
    operationId: 'getAccumulators',
    tags: ['eligibility'],
    summary: 'Get deductible and out-of-pocket accumulators',
    description:
      'Returns the used and the remaining part of the deductible and of the out-of-pocket maximum, per tier and network.',
    security: bearer,
    responses: {
      200: relayed('Accumulators', 'The member’s accumulators, as returned by the eligibility service.', {
        example: accumulators,
      }),
      204: noContent,
      ...memberProblems(),
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
