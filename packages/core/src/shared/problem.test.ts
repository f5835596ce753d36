import { describe, expect, it } from 'vitest';
import { type Failure, invalid, notFound, preconditionFailed, unauthenticated, upstream } from './failure.ts';
import { type Problem, problemOf } from './problem.ts';

describe('what every edge tells of a failure', () => {
  const wrong = { path: '/email', message: 'must be true or false' };
  it.each<[Failure, Problem]>([
    [invalid('No.'), { code: 'invalid-request', detail: 'No.', errors: [] }],
    [invalid('No.', wrong), { code: 'invalid-request', detail: 'No.', errors: [wrong] }],
    [unauthenticated('missing'), { code: 'unauthenticated', detail: 'There is no access token.' }],
    [unauthenticated('invalid'), { code: 'unauthenticated', detail: 'The access token is not valid.' }],
    [
      unauthenticated('invalid-grant'),
      { code: 'unauthenticated', detail: 'The identity provider refused the credentials.' },
    ],
    [
      unauthenticated('invalid-client'),
      { code: 'unauthenticated', detail: 'The identity provider refused the client.' },
    ],
    [notFound('claims'), { code: 'not-found', service: 'claims', detail: 'The claims service found nothing.' }],
    [
      { kind: 'not-found', service: 'notifications', code: 'preferences-not-set' },
      { code: 'preferences-not-set', service: 'notifications', detail: 'The member has never set preferences.' },
    ],
    [
      preconditionFailed('consent'),
      { code: 'precondition-failed', service: 'consent', detail: 'It was changed in the meantime. Nothing was saved.' },
    ],
    [
      { kind: 'overloaded', retryAfterSeconds: 7 },
      { code: 'overloaded', detail: 'Try again later.' },
    ],
    [
      { kind: 'unexpected', cause: new Error('canary') },
      { code: 'internal', detail: 'Something went wrong on our side.' },
    ],
  ])('of %j', (failure, problem) => {
    expect(problemOf(failure)).toEqual(problem);
  });

  it.each([
    ['status', 'The policy service answered with an error.'],
    ['unreachable', 'The policy service could not be reached.'],
    ['timeout', 'The policy service did not answer in time.'],
    ['malformed', 'The policy service gave an answer that cannot be passed on.'],
    ['too-large', 'The policy service gave an answer that is too large.'],
    ['circuit-open', 'The policy service has been failing and is given time to recover.'],
  ] as const)('of a service, for the reason "%s"', (reason, detail) => {
    expect(problemOf(upstream('policy', reason))).toEqual({
      code: 'upstream-failure',
      service: 'policy',
      reason,
      detail,
    });
  });
});
