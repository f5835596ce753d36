import { toJson } from '@portico/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CallFailed } from '../../api/client.ts';
import { useCaller } from '../../api/context.ts';
import { endSubmission, isOutcomeUnknown, startSubmission } from './submission.ts';

/** What the claims system has done with a submitted claim. `created`: filed. `accepted`: to be filed later. */
export interface Submitted {
  readonly outcome: 'created' | 'accepted';
  readonly locator: string | undefined;
}

/** Submits a claim, with the same idempotency key until the outcome is known. */
export const useSubmit = (onSubmitted: (submitted: Submitted) => void) => {
  const call = useCaller();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (claim: object): Promise<Submitted> => {
      const body = toJson(claim);
      const { key, isRepeated } = await startSubmission(body.text);
      try {
        const { outcome, locator, claim: filed } = await call((portico) => portico.submitClaim(body, key));
        endSubmission();
        return { outcome, locator: locator ?? filed.value?.locator };
      } catch (error) {
        // A refusal says nothing about an earlier attempt with this key.
        const isKnown = error instanceof CallFailed && !isOutcomeUnknown(error.failure);
        if (isKnown && !isRepeated) endSubmission();
        throw error;
      }
    },
    onSuccess: (submitted) => {
      // The lists of claims, here and on the dashboard.
      void client.invalidateQueries({ predicate: ({ queryKey: [key] }) => String(key).startsWith('claims') });
      onSubmitted(submitted);
    },
  });
};
