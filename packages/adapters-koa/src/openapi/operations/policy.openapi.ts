import { profile, profilePatch } from '../examples/policy.examples.ts';
import { anyObject, bearer, body, noContent, relayed } from '../responses.ts';
import type { Operation } from '../format.ts';
import { headerRefs } from '../headers.ts';
import { ifMatch, useIfMatch } from '../parameters.ts';
import { bodyProblems, conditionProblems, memberProblems } from '../problems.ts';

export const policyOperations = {
  getProfile: {
    operationId: 'getProfile',
    tags: ['policy'],
    summary: 'Get the profile',
    description: 'Returns name, address, phone numbers, email addresses and languages of the member.',
    security: bearer,
    responses: {
      200: relayed('Profile', 'The member’s party details, as returned by policy administration.', {
        example: profile,
        headers: headerRefs('ETag.strong'),
      }),
      204: noContent,
      ...memberProblems(),
    },
  },
  patchProfile: {
    operationId: 'patchProfile',
    tags: ['policy'],
    summary: 'Update the profile',
    description: `Changes the fields in the patch and no others. ${useIfMatch}`,
    security: bearer,
    parameters: [ifMatch],
    requestBody: body(
      'A JSON merge patch (RFC 7396), also with the media type `application/json`. A non-empty object without the fields `partyLocator` and `locator`.',
      {
        schema: {
          ...anyObject,
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
      204: noContent,
      ...memberProblems(),
      ...conditionProblems,
      ...bodyProblems,
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
