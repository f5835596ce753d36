import { anyObject, bearer, body, noContent, relayed } from '../answers.ts';
import type { Operation } from '../format.ts';
import { sent } from '../headers.ts';
import { ifMatch } from '../parameters.ts';
import { bodyProblems, conditionProblems, memberProblems } from '../problems.ts';

export const policyOperations = {
  getProfile: {
    operationId: 'getProfile',
    tags: ['policy'],
    summary: 'Who the member is',
    security: bearer,
    responses: {
      200: relayed('Profile', 'The member’s party details, from policy administration.', sent('ETag.strong')),
      204: noContent,
      ...memberProblems(),
    },
  },
  patchProfile: {
    operationId: 'patchProfile',
    tags: ['policy'],
    summary: 'Change what is named, and nothing else',
    security: bearer,
    parameters: [ifMatch],
    requestBody: body(
      'A merge patch (RFC 7396), also where it is called `application/json`: any object with something in it, but without `partyLocator` or `locator`.',
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
        example: { address: { line1: '100 Example Street', city: 'Sampleton' } },
      },
      ['application/merge-patch+json', 'application/json'],
    ),
    responses: {
      200: relayed('Profile', 'The party details as they are now.'),
      204: noContent,
      ...memberProblems(),
      ...conditionProblems,
      ...bodyProblems,
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
