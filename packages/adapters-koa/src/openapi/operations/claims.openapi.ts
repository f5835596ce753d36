import { anyObject, bearer, body, noContent, relayed } from '../answers.ts';
import type { Operation } from '../format.ts';
import { sent } from '../headers.ts';
import { listParameters, locator } from '../parameters.ts';
import { bodyProblems, memberProblems } from '../problems.ts';

export const claimsOperations = {
  listClaims: {
    operationId: 'listClaims',
    tags: ['claims'],
    summary: 'The member’s claims',
    security: bearer,
    parameters: listParameters,
    responses: {
      200: relayed('ClaimList', 'The claims, from the claims system.'),
      204: noContent,
      ...memberProblems(),
    },
  },
  submitClaim: {
    operationId: 'submitClaim',
    tags: ['claims'],
    summary: 'File a claim',
    description: 'Never repeated by us: send the same `Idempotency-Key` again when you do not know what became of it.',
    security: bearer,
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        description: 'Goes to the claims system, which files a claim once for each key.',
        schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
      },
    ],
    requestBody: body('The claim, in whatever shape the claims system takes; passed on as it is.', {
      schema: anyObject,
      example: { type: 'professional', serviceDate: '2026-06-18', billedAmount: 120 },
    }),
    responses: {
      201: relayed('Claim', 'The claim was filed.', sent('Location')),
      202: relayed('Claim', 'The claim was taken in, to be filed later.', sent('Location')),
      204: noContent,
      ...memberProblems(),
      ...bodyProblems,
    },
  },
  getClaim: {
    operationId: 'getClaim',
    tags: ['claims'],
    summary: 'One claim, and what became of it',
    security: bearer,
    parameters: [locator('claim', 'CLM-1001-01')],
    responses: {
      200: relayed('Claim', 'The claim, from the claims system.'),
      204: noContent,
      ...memberProblems(),
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
