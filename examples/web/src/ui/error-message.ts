import type { ClientFailure } from '@portico/client';
import { problemOf } from '@portico/core';
import { CallFailed } from '../api/client.ts';

export const offline = 'You are offline. Check your internet connection.';
const notAvailable = 'This is currently unavailable.';
const sessionEnded = 'Your session has ended.';
const notFound = 'This could not be found.';
const unknownError = 'Something went wrong.';

/** A message for the member that describes a failure. */
export const errorMessage = (error: unknown): string =>
  error instanceof CallFailed ? messageFor(error.failure) : unknownError;

const messageFor = (failure: ClientFailure): string => {
  switch (failure.kind) {
    case 'unreachable':
      return navigator.onLine ? 'Cannot reach the server. Check your internet connection.' : offline;
    case 'upstream':
    case 'overloaded':
    case 'timed-out':
    case 'response-too-large':
      return notAvailable;
    case 'not-found':
      return notFound;
    case 'rate-limited':
      return `Too many requests. Try again in ${seconds(failure.retryAfterSeconds)}.`;
    case 'unauthenticated':
      return sessionEnded;
    case 'refused':
      return messageForStatus(failure.status) ?? failure.detail;
    case 'unexpected-response':
      return messageForStatus(failure.status) ?? 'The server returned an error.';
    case 'interrupted':
    case 'cancelled':
      return unknownError;
    default:
      return problemOf(failure).detail;
  }
};

const messageForStatus = (status: number): string | undefined => {
  if (status === 502 || status === 503) return notAvailable;
  if (status === 401) return sessionEnded;
  return status === 404 ? notFound : undefined;
};

const seconds = (count: number): string => (count === 1 ? '1 second' : `${count} seconds`);
