import { toJson } from '@portico/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CallFailed } from '../../api/client.ts';
import { useCaller } from '../../api/context.ts';
import { useSession } from '../../session/session-state.ts';
import { dropSubmission, isOutcomeUnknown, startSubmission } from './submission.ts';

/** What the claims system has done with a submitted claim. `created`: filed. `accepted`: to be filed later. */
export interface Submitted {
  readonly outcome: 'created' | 'accepted';
  readonly locator: string | undefined;
}

/** In the memory of the pages, which ends with the session: the history would keep the claim for the next member. */
const submittedKey = ['submitted claim'];

/** The claim that was submitted last, if the page was not loaded again since. */
export const useSubmitted = (): Submitted | undefined => {
  const client = useQueryClient();
  const [submitted] = useState(() => client.getQueryData<Submitted>(submittedKey));
  return submitted;
};

/** A claim that could not be submitted. Its cause is the failed call. */
export class SubmitFailed extends Error {
  /** Whether the claim may have been filed, by this attempt or an earlier one. */
  readonly isOutcomeUnknown: boolean;

  constructor(cause: unknown, isOutcomeUnknown: boolean) {
    super('The claim could not be submitted.', { cause });
    this.isOutcomeUnknown = isOutcomeUnknown;
  }
}

/**
 * Submits a claim, with the same idempotency key until the outcome is known. What the form does afterwards belongs to `mutate`,
 * whose callbacks are not called once the member has left the form.
 */
export const useSubmit = () => {
  const call = useCaller();
  // Another member of this browser never gets the same key.
  const { userId, name } = useSession();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (claim: object): Promise<Submitted> => {
      const body = toJson(claim);
      const { key, isRepeated } = await startSubmission(`${userId} ${name ?? ''} ${body.text}`);
      try {
        const { outcome, locator, claim: filed } = await call((portico) => portico.submitClaim(body, key));
        dropSubmission(key);
        return { outcome, locator: locator ?? filed.value?.locator };
      } catch (error) {
        // An earlier attempt with this key may have succeeded although this one failed.
        const isKnown = error instanceof CallFailed && !isOutcomeUnknown(error.failure) && !isRepeated;
        if (isKnown) dropSubmission(key);
        throw new SubmitFailed(error, !isKnown);
      }
    },
    onSuccess: (submitted) => {
      // The lists of claims, here and on the dashboard.
      void client.invalidateQueries({ predicate: ({ queryKey: [key] }) => String(key).startsWith('claims') });
      client.setQueryData(submittedKey, submitted);
    },
  });
};
