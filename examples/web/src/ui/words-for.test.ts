import type { ClientFailure } from '@portico/client';
import { describe, expect, it } from 'vitest';
import { CallFailed } from '../api/client.ts';
import { wordsFor } from './words-for.ts';

describe('wordsFor', () => {
  it.each<[ClientFailure, string]>([
    [{ kind: 'unreachable' }, 'We could not be reached. Are you online?'],
    [{ kind: 'upstream', service: 'claims', reason: 'timeout' }, 'This is not available at the moment.'],
    [{ kind: 'overloaded', retryAfterSeconds: 1 }, 'This is not available at the moment.'],
    [{ kind: 'unexpected-response', status: 503 }, 'This is not available at the moment.'],
    [{ kind: 'unexpected-response', status: 500 }, 'The server answered with an error.'],
    [{ kind: 'not-found', service: 'claims', code: 'not-found' }, 'We found nothing here.'],
    [{ kind: 'refused', status: 404, code: 'no-such-route', detail: 'No such route.' }, 'We found nothing here.'],
    [{ kind: 'refused', status: 413, code: 'too-large', detail: 'The body is too large.' }, 'The body is too large.'],
    [{ kind: 'invalid', detail: 'The query is not valid.', errors: [] }, 'The query is not valid.'],
    [{ kind: 'unexpected', cause: undefined }, 'Something went wrong on our side.'],
    [{ kind: 'rate-limited', retryAfterSeconds: 30 }, 'Try again later.'],
    [{ kind: 'interrupted' }, 'Something went wrong.'],
  ])('describes %o', (failure, words) => {
    expect(wordsFor(new CallFailed(failure))).toBe(words);
  });

  it('describes an exception of another kind without its message', () => {
    expect(wordsFor(new TypeError('x is not a function'))).toBe('Something went wrong.');
  });
});
