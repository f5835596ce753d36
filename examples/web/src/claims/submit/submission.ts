import type { ClientFailure } from '@portico/client';
import { digestOf } from '../../session/digest.ts';
import { submissionsKey } from '../../session/member-data.ts';

/**
 * A submission whose outcome is not known. In `sessionStorage`, so that neither a reload nor a new sign-in loses its key, until
 * another member signs in (session/member-data.ts). Of the claim, only a digest is stored, so that the claim does not stay in the
 * storage.
 */
interface OpenSubmission {
  readonly key: string;
  readonly digest: string;
}

/** A claim that is about to be sent. */
interface Submission {
  /** The `Idempotency-Key`. */
  readonly key: string;
  /** Whether the same claim was sent before. */
  readonly isRepeated: boolean;
}

/**
 * Starts the submission of this claim: its member and JSON. Until the outcome is known, the same claim gets the same key, so that the
 * claims system files it once, also if the member sent another claim in between. A claim that differs gets another key.
 */
export const startSubmission = async (claim: string): Promise<Submission> => {
  const all = openSubmissions();
  for (const { key, digest } of all)
    if (digest === (await digestOf(`${key} ${claim}`))) return { key, isRepeated: true };
  const key = crypto.randomUUID();
  store([...all, { key, digest: await digestOf(`${key} ${claim}`) }]);
  return { key, isRepeated: false };
};

/** Whether the outcome of a submission is not known. */
export const isSubmissionOpen = (): boolean => openSubmissions().length > 0;

/** The claim was filed or refused: the next one gets another key, even if it is the same. */
export const dropSubmission = (key: string): void => store(openSubmissions().filter((open) => open.key !== key));

/** Whether the claim may have been filed although the call failed. */
export const isOutcomeUnknown = (failure: ClientFailure): boolean => {
  switch (failure.kind) {
    case 'upstream':
      return failure.reason !== 'circuit-open';
    case 'unexpected-response':
      return failure.status >= 500 || failure.status < 400;
    case 'unreachable':
    case 'interrupted':
    case 'timed-out':
    case 'cancelled':
    case 'response-too-large':
    case 'unexpected':
      return true;
    default:
      return false;
  }
};

const openSubmissions = (): readonly OpenSubmission[] =>
  JSON.parse(window.sessionStorage.getItem(submissionsKey) ?? '[]') as readonly OpenSubmission[];

const store = (all: readonly OpenSubmission[]): void => {
  if (all.length === 0) window.sessionStorage.removeItem(submissionsKey);
  else window.sessionStorage.setItem(submissionsKey, JSON.stringify(all));
};
