import type { ClientFailure } from '@portico/client';
import { problemOf } from '@portico/core';
import { describe, expect, it } from 'vitest';
import { CallFailed } from '../api/client.ts';
import { errorMessage } from './error-message.ts';

describe('errorMessage', () => {
  it.each<[ClientFailure, string]>([
    [{ kind: 'unreachable' }, 'Cannot reach the server. Check your internet connection.'],
    [{ kind: 'upstream', service: 'claims', reason: 'timeout' }, 'This is currently unavailable.'],
    [{ kind: 'overloaded', retryAfterSeconds: 1 }, 'This is currently unavailable.'],
    [{ kind: 'unexpected-response', status: 503 }, 'This is currently unavailable.'],
    [{ kind: 'unexpected-response', status: 500 }, 'The server returned an error.'],
    [{ kind: 'not-found', service: 'claims', code: 'not-found' }, 'This could not be found.'],
    [{ kind: 'refused', status: 404, code: 'no-such-route', detail: 'No such route.' }, 'This could not be found.'],
    [{ kind: 'refused', status: 413, code: 'too-large', detail: 'The body is too large.' }, 'The body is too large.'],
    [{ kind: 'invalid', detail: 'The query is not valid.', errors: [] }, 'The query is not valid.'],
    [{ kind: 'unexpected', cause: undefined }, problemOf({ kind: 'unexpected', cause: undefined }).detail],
    [{ kind: 'rate-limited', retryAfterSeconds: 30 }, 'Try again later.'],
    [{ kind: 'interrupted' }, 'Something went wrong.'],
  ])('describes a failure: %o', (failure, words) => {
    expect(errorMessage(new CallFailed(failure))).toBe(words);
  });

  it('does not show the message of other exceptions', () => {
    expect(errorMessage(new TypeError('x is not a function'))).toBe('Something went wrong.');
  });
});
