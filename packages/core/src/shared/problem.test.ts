import { describe, expect, it } from 'vitest';
import {
  type Failure,
  insufficientScope,
  invalid,
  notFound,
  preconditionFailed,
  refusedToken,
  tokenRefusals,
  unauthenticated,
  upstream,
  upstreamStatus,
} from './failure.ts';
import { type Problem, problemOf } from './problem.ts';

describe('problemOf', () => {
  it('does not contain why a token was refused, or the status of a service', () => {
    for (const refusal of tokenRefusals)
      expect(problemOf(refusedToken(refusal))).toEqual(problemOf(unauthenticated('invalid')));
    expect(problemOf(upstreamStatus('claims', 503))).toEqual(problemOf(upstream('claims', 'status')));
  });

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
    [unauthenticated('invalid-proof'), { code: 'unauthenticated', detail: 'The DPoP proof is not valid.' }],
    [
      insufficientScope('me:read'),
      { code: 'insufficient-scope', detail: 'The access token does not have the required scope: me:read.' },
    ],
    [
      notFound('claims'),
      { code: 'not-found', service: 'claims', detail: 'The claims service found no such resource.' },
    ],
    [
      { kind: 'not-found', service: 'notifications', code: 'preferences-not-set' },
      { code: 'preferences-not-set', service: 'notifications', detail: 'The member has never set preferences.' },
    ],
    [
      preconditionFailed('consent'),
      {
        code: 'precondition-failed',
        service: 'consent',
        detail: 'The data has changed since it was read. Nothing was saved. Read it again and retry.',
      },
    ],
    [
      { kind: 'overloaded', retryAfterSeconds: 7 },
      { code: 'overloaded', detail: 'Try again later.' },
    ],
    [
      { kind: 'unexpected', cause: new Error('canary') },
      { code: 'internal', detail: 'An internal error occurred.' },
    ],
  ])('describes the failure %j', (failure, problem) => {
    expect(problemOf(failure)).toEqual(problem);
  });

  it.each([
    ['status', 'The policy service returned an error.'],
    ['unreachable', 'The policy service could not be reached.'],
    ['timeout', 'The policy service did not respond in time.'],
    ['malformed', 'The policy service returned a response that cannot be relayed.'],
    ['too-large', 'The policy service returned a response that is too large.'],
    ['circuit-open', 'The policy service has failed repeatedly; requests to it are paused.'],
  ] as const)('describes an upstream failure with the reason "%s"', (reason, detail) => {
    expect(problemOf(upstream('policy', reason))).toEqual({
      code: 'upstream-failure',
      service: 'policy',
      reason,
      detail,
    });
  });
});
