import { anyObject, bearer, body, noContent, relayed } from '../answers.ts';
import type { Operation } from '../format.ts';
import { sent } from '../headers.ts';
import { ifMatch } from '../parameters.ts';
import { bodyProblems, conditionProblems, memberProblems } from '../problems.ts';

export const consentOperations = {
  getConsent: {
    operationId: 'getConsent',
    tags: ['consent'],
    summary: 'What the member has agreed to',
    security: bearer,
    responses: {
      200: relayed('ConsentState', 'The consent state, from the consent service.', sent('ETag.strong')),
      204: noContent,
      ...memberProblems(),
    },
  },
  putConsent: {
    operationId: 'putConsent',
    tags: ['consent'],
    summary: 'Replace the consent state',
    security: bearer,
    parameters: [ifMatch],
    requestBody: body('The whole state, in whatever shape the consent service takes; passed on as it is.', {
      schema: anyObject,
      example: { consents: [{ purpose: 'research', state: 'granted' }] },
    }),
    responses: {
      200: relayed('ConsentState', 'The consent state as it is now.'),
      204: noContent,
      ...memberProblems(),
      ...conditionProblems,
      ...bodyProblems,
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
