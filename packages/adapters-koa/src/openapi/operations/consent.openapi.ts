import { anyObject, bearer, body, noContent, relayed } from '../responses.ts';
import type { Operation } from '../format.ts';
import { headerRefs } from '../headers.ts';
import { ifMatch } from '../parameters.ts';
import { bodyProblems, conditionProblems, memberProblems } from '../problems.ts';

export const consentOperations = {
  getConsent: {
    operationId: 'getConsent',
    tags: ['consent'],
    summary: 'Get consent',
    security: bearer,
    responses: {
      200: relayed('ConsentState', 'The consent state, as returned by the consent service.', headerRefs('ETag.strong')),
      204: noContent,
      ...memberProblems(),
    },
  },
  putConsent: {
    operationId: 'putConsent',
    tags: ['consent'],
    summary: 'Replace consent',
    security: bearer,
    parameters: [ifMatch],
    requestBody: body(
      'The complete consent state, in the format of the consent service. Forwarded unchanged, except that fields that name a member are removed.',
      {
        schema: anyObject,
        example: { consents: [{ purpose: 'research', state: 'granted' }] },
      },
    ),
    responses: {
      200: relayed('ConsentState', 'The updated consent state.'),
      204: noContent,
      ...memberProblems(),
      ...conditionProblems,
      ...bodyProblems,
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
