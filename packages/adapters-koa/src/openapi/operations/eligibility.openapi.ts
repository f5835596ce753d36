import { bearer, noContent, relayed } from '../answers.ts';
import type { Operation } from '../format.ts';
import { memberProblems } from '../problems.ts';

export const eligibilityOperations = {
  getCoverage: {
    operationId: 'getCoverage',
    tags: ['eligibility'],
    summary: 'What the member is covered by',
    security: bearer,
    responses: {
      200: relayed('Coverage', 'The member’s coverage, from the eligibility service.'),
      204: noContent,
      ...memberProblems(),
    },
  },
  getAccumulators: {
    operationId: 'getAccumulators',
    tags: ['eligibility'],
    summary: 'What is used up of deductible and out-of-pocket maximum',
    security: bearer,
    responses: {
      200: relayed('Accumulators', 'The member’s accumulators, from the eligibility service.'),
      204: noContent,
      ...memberProblems(),
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
