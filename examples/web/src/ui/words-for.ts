import type { ClientFailure } from '@portico/client';
import { problemOf } from '@portico/core';
import { CallFailed } from '../api/client.ts';

const notAvailable = 'This is not available at the moment.';
const nothingFound = 'We found nothing here.';
const somethingWrong = 'Something went wrong.';

/** A failure in words for the member. */
export const wordsFor = (error: unknown): string =>
  error instanceof CallFailed ? sentenceFor(error.failure) : somethingWrong;

const sentenceFor = (failure: ClientFailure): string => {
  switch (failure.kind) {
    case 'unreachable':
      return 'We could not be reached. Are you online?';
    case 'upstream':
    case 'overloaded':
    case 'timed-out':
      return notAvailable;
    case 'not-found':
      return nothingFound;
    case 'rate-limited':
      return 'Try again later.';
    case 'refused':
      return sentenceForStatus(failure.status) ?? failure.detail;
    case 'unexpected-response':
      return sentenceForStatus(failure.status) ?? 'The server answered with an error.';
    case 'interrupted':
    case 'given-up':
      return somethingWrong;
    default:
      return problemOf(failure).detail;
  }
};

const sentenceForStatus = (status: number): string | undefined => {
  if (status === 502 || status === 503) return notAvailable;
  return status === 404 ? nothingFound : undefined;
};
