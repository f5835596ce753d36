import { bearer, noContent, relayed } from '../responses.ts';
import type { Operation } from '../format.ts';
import { memberProblems } from '../problems.ts';

export const eligibilityOperations = {
  getCoverage: {
    operationId: 'getCoverage',
    tags: ['eligibility'],
    summary: 'Get coverage',
    security: bearer,
    responses: {
      200: relayed('Coverage', 'The member’s coverage, as returned by the eligibility service.'),
      204: noContent,
      ...memberProblems(),
    },
  },
  getAccumulators: {
    operationId: 'getAccumulators',
    tags: ['eligibility'],
    summary: 'Get deductible and out-of-pocket accumulators',
    security: bearer,
    responses: {
      200: relayed('Accumulators', 'The member’s accumulators, as returned by the eligibility service.'),
      204: noContent,
      ...memberProblems(),
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
