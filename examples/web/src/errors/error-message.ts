import type { ClientFailure } from '@portico/client';
import { CallFailed } from '../api/client.ts';
import type { Texts } from '../texts/en.ts';

/** A message for the member that describes a failure: what happened, and when to try again if that is known. */
export const errorMessage = (error: unknown, texts: Texts['errors']): string =>
  error instanceof CallFailed ? messageFor(error.failure, texts) : texts.unknown;

const messageFor = (failure: ClientFailure, texts: Texts['errors']): string => {
  switch (failure.kind) {
    case 'unreachable':
      return navigator.onLine ? texts.unreachable : texts.offline;
    case 'upstream':
    case 'overloaded':
    case 'timed-out':
    case 'response-too-large':
      return texts.notAvailable;
    case 'not-found':
      return texts.notFound;
    case 'rate-limited':
      return texts.tooManyRequests(failure.retryAfterSeconds);
    case 'unauthenticated':
      return texts.sessionEnded;
    case 'refused':
      return messageForStatus(failure.status, texts) ?? failure.detail;
    case 'unexpected-response':
      return messageForStatus(failure.status, texts) ?? texts.serverError;
    case 'invalid':
      return failure.detail;
    case 'interrupted':
    case 'cancelled':
    case 'unexpected':
      return texts.unknown;
    default:
      return texts.notAccepted;
  }
};

const messageForStatus = (status: number, texts: Texts['errors']): string | undefined => {
  if (status === 502 || status === 503) return texts.notAvailable;
  if (status === 401) return texts.sessionEnded;
  return status === 404 ? texts.notFound : undefined;
};
