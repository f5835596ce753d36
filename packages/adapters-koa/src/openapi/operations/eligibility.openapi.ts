import { bearer, noContent, relayed } from '../answers.ts';
import { eligibilitySchemas } from '../schemas/eligibility.schemas.ts';
import type { Part } from '../format.ts';
import { memberProblems } from '../problems.ts';

export const eligibilityApi = {
  schemas: eligibilitySchemas,
  paths: {
    '/me/coverage': {
      get: {
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
    },
    '/me/accumulators': {
      get: {
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
    },
  },
} as const satisfies Part;
