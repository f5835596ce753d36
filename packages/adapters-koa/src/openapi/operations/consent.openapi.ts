import { changedConsent, consentState } from '../examples/consent.examples.ts';
import { forwardedBody, nonEmptyObject, otherResponses, relayed } from '../responses.ts';
import { memberOperations } from '../operation-builders.ts';
import { headerRefs } from '../headers.ts';
import { ifMatch, useIfMatch } from '../parameters.ts';
import { bodyProblems, conditionProblems } from '../problems.ts';

export const consentOperations = memberOperations('consent', {
  getConsent: {
    summary: 'Get consent',
    description: 'Returns what the member has permitted, per purpose.',
    responses: {
      200: relayed('ConsentState', 'The consent state, as returned by the consent service.', {
        example: consentState,
        headers: headerRefs('ETag.strong'),
      }),
      ...otherResponses(),
    },
  },
  putConsent: {
    summary: 'Replace consent',
    description: `Replaces the consent state of the member, for all purposes. ${useIfMatch}`,
    parameters: [ifMatch],
    requestBody: forwardedBody('The complete consent state', 'the consent service', {
      schema: nonEmptyObject,
      example: changedConsent,
    }),
    responses: {
      200: relayed('ConsentState', 'The updated consent state.', { example: changedConsent }),
      ...otherResponses(),
      ...conditionProblems,
      ...bodyProblems,
    },
  },
});
