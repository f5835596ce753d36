import { changedConsent, consentState } from '../examples/consent.examples.ts';
import { anyObject, bearer, body, noContent, relayed } from '../responses.ts';
import type { Operation } from '../format.ts';
import { headerRefs } from '../headers.ts';
import { ifMatch, useIfMatch } from '../parameters.ts';
import { bodyProblems, conditionProblems, memberProblems } from '../problems.ts';

export const consentOperations = {
  getConsent: {
    operationId: 'getConsent',
    tags: ['consent'],
    summary: 'Get consent',
    description: 'Returns what the member has permitted, per purpose.',
    security: bearer,
    responses: {
      200: relayed('ConsentState', 'The consent state, as returned by the consent service.', {
        example: consentState,
        headers: headerRefs('ETag.strong'),
      }),
      204: noContent,
      ...memberProblems(),
    },
  },
  putConsent: {
    operationId: 'putConsent',
    tags: ['consent'],
    summary: 'Replace consent',
    description: `Replaces the consent state of the member, for all purposes. ${useIfMatch}`,
    security: bearer,
    parameters: [ifMatch],
    requestBody: body(
      'The complete consent state, in the format of the consent service. Forwarded unchanged, except that fields that name a member are removed.',
      {
        schema: anyObject,
        example: changedConsent,
      },
    ),
    responses: {
      200: relayed('ConsentState', 'The updated consent state.', { example: changedConsent }),
      204: noContent,
      ...memberProblems(),
      ...conditionProblems,
      ...bodyProblems,
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
