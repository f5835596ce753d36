import type { ClientFailure } from '@portico/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CallFailed } from '../api/client.ts';
import { errorMessage } from './error-message.ts';
import { errors } from './error-texts.en.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const unavailable = 'This is currently unavailable. Try again in a few minutes.';

describe('errorMessage', () => {
  it.each<[ClientFailure, string]>([
    [{ kind: 'unreachable' }, 'Cannot reach the server. Check your internet connection.'],
    [{ kind: 'upstream', service: 'claims', reason: 'timeout' }, unavailable],
    [{ kind: 'overloaded', retryAfterSeconds: 1 }, unavailable],
    [{ kind: 'unexpected-response', status: 503 }, unavailable],
    [{ kind: 'unexpected-response', status: 500 }, 'The server returned an error. Try again in a few minutes.'],
    [{ kind: 'not-found', service: 'claims', code: 'not-found' }, 'This could not be found.'],
    [{ kind: 'refused', status: 404, code: 'no-such-route', detail: 'No such route.' }, 'This could not be found.'],
    [{ kind: 'refused', status: 413, code: 'too-large', detail: 'The body is too large.' }, 'The body is too large.'],
    [{ kind: 'invalid', detail: 'The query is not valid.', errors: [] }, 'The query is not valid.'],
    [{ kind: 'unexpected', cause: undefined }, 'Something went wrong.'],
    [{ kind: 'rate-limited', retryAfterSeconds: 1 }, 'Too many requests. Try again in 1 second.'],
    [{ kind: 'rate-limited', retryAfterSeconds: 30 }, 'Too many requests. Try again in 30 seconds.'],
    [{ kind: 'unauthenticated', reason: 'invalid' }, 'Your session has ended.'],
    [{ kind: 'unexpected-response', status: 401 }, 'Your session has ended.'],
    [{ kind: 'interrupted' }, 'Something went wrong.'],
  ])('describes a failure: %o', (failure, words) => {
    vi.stubGlobal('navigator', { onLine: true });
    expect(errorMessage(new CallFailed(failure), errors)).toBe(words);
  });

  it('reports that the browser is offline', () => {
    vi.stubGlobal('navigator', { onLine: false });
    expect(errorMessage(new CallFailed({ kind: 'unreachable' }), errors)).toBe(
      'You are offline. Check your internet connection.',
    );
  });

  it('does not show the message of other exceptions', () => {
    expect(errorMessage(new TypeError('x is not a function'), errors)).toBe('Something went wrong.');
  });
});
