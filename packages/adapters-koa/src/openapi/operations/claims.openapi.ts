import { claim, claimDraft, claimList, submittedClaim } from '../examples/claims.examples.ts';
import { forwardedBody, nonEmptyObject, otherResponses, relayed } from '../responses.ts';
import { memberOperations } from '../operation-builders.ts';
import { headerRefs } from '../headers.ts';
import { idempotencyKey, listParameters, locator } from '../parameters.ts';
import { bodyProblems } from '../problems.ts';

export const claimsOperations = memberOperations('claims', {
  listClaims: {
    summary: 'List claims',
    description: 'Returns the claims of the member. The claims system applies the query parameters.',
    parameters: listParameters,
    responses: {
      200: relayed('ClaimList', 'The member’s claims, as returned by the claims system.', { example: claimList }),
      ...otherResponses(),
    },
  },
  submitClaim: {
    summary: 'Submit a claim',
    description:
      'Portico never retries this request. If the outcome is unknown, send it again with the same `Idempotency-Key`.',
    parameters: [
      { ...idempotencyKey, description: 'Forwarded to the claims system, which creates at most one claim per key.' },
    ],
    requestBody: forwardedBody('The claim', 'the claims system', { schema: nonEmptyObject, example: claimDraft }),
    responses: {
      201: relayed('Claim', 'The claim was created.', { example: submittedClaim, headers: headerRefs('Location') }),
      202: relayed('Claim', 'The claim was accepted and will be created later.', { headers: headerRefs('Location') }),
      ...otherResponses(),
      ...bodyProblems,
    },
  },
  getClaim: {
    summary: 'Get a claim',
    description: 'Returns one claim with its adjudication. A claim of another member is not found.',
    parameters: [locator('claim', 'CLM-1001-01')],
    responses: {
      200: relayed('Claim', 'The claim, as returned by the claims system.', { example: claim }),
      ...otherResponses(),
    },
  },
});
