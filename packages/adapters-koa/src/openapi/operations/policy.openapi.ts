import { profile, profilePatch } from '../examples/policy.examples.ts';
import { body, nonEmptyObject, otherResponses, relayed } from '../responses.ts';
import { memberOperations } from '../operation-builders.ts';
import { headerRefs } from '../headers.ts';
import { ifMatch, useIfMatch } from '../parameters.ts';
import { bodyProblems, conditionProblems } from '../problems.ts';

export const policyOperations = memberOperations('policy', {
  getProfile: {
    summary: 'Get the profile',
    description: 'Returns name, address, phone numbers, email addresses and languages of the member.',
    responses: {
      200: relayed('Profile', 'The member’s party details, as returned by policy administration.', {
        example: profile,
        headers: headerRefs('ETag.strong'),
      }),
      ...otherResponses(),
    },
  },
  patchProfile: {
    summary: 'Update the profile',
    description: `Changes the fields in the patch and no others. ${useIfMatch}`,
    parameters: [ifMatch],
    requestBody: body(
      'A JSON merge patch (RFC 7396), also with the media type `application/json`. A non-empty object without the fields `partyLocator` and `locator`.',
      {
        schema: {
          ...nonEmptyObject,
          not: {
            anyOf: ['partyLocator', 'locator'].map((name) => ({
              type: 'object',
              properties: { [name]: {} },
              required: [name],
            })),
          },
        },
        example: profilePatch,
      },
      ['application/merge-patch+json', 'application/json'],
    ),
    responses: {
      200: relayed('Profile', 'The updated party details.', { example: profile }),
      ...otherResponses(),
      ...conditionProblems,
      ...bodyProblems,
    },
  },
});
