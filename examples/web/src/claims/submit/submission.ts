import type { ClientFailure } from '@portico/client';

/** In `sessionStorage`, so that a reload of the page does not lose the key; removed at sign-out (session/member-data.ts). */
const storageKey = 'portico:claim-submission';

/** A submission whose outcome is not known. Of the claim, only a digest is stored: the storage must hold no health data. */
interface StoredSubmission {
  readonly key: string;
  readonly digest: string;
}

/** A claim that is about to be sent. */
export interface Submission {
  /** The `Idempotency-Key`. */
  readonly key: string;
  /** Whether the same claim was sent before. */
  readonly isRepeated: boolean;
}

/**
 * Starts the submission of this claim (JSON). Until the outcome is known, the same claim gets the same key, so that the
 * claims system files it once. A claim that differs gets another key.
 */
export const startSubmission = async (claim: string): Promise<Submission> => {
  const open = stored();
  if (open && open.digest === (await digestOf(open.key, claim))) return { key: open.key, isRepeated: true };
  const key = crypto.randomUUID();
  const submission: StoredSubmission = { key, digest: await digestOf(key, claim) };
  window.sessionStorage.setItem(storageKey, JSON.stringify(submission));
  return { key, isRepeated: false };
};

/** Whether the outcome of a submission is not known. */
export const isSubmissionOpen = (): boolean => stored() !== undefined;

/** The outcome is known: the next claim gets another key, even if it is the same. */
export const endSubmission = (): void => window.sessionStorage.removeItem(storageKey);

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

const stored = (): StoredSubmission | undefined => {
  const text = window.sessionStorage.getItem(storageKey);
  return text === null ? undefined : (JSON.parse(text) as StoredSubmission);
};

const digestOf = async (key: string, claim: string): Promise<string> => {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${key} ${claim}`));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
};
