import type { Failure } from '@portico/core';
import { describe, expect, it } from 'vitest';
import { problemIn, servePortal } from '../server/portal.test.support.ts';

const coverageFailing = async (failure: Failure) => {
  const portal = await servePortal();
  portal.fakes.eligibility.failWith(failure);
  return { answer: await portal.ask('GET', '/me/coverage'), errors: portal.errors };
};

describe('a downstream failure', () => {
  it.each([
    ['status', 'The eligibility service answered with an error.'],
    ['unreachable', 'The eligibility service could not be reached.'],
    ['timeout', 'The eligibility service did not answer in time.'],
    ['malformed', 'The eligibility service gave an answer that cannot be passed on.'],
    ['too-large', 'The eligibility service gave an answer that is too large.'],
    ['circuit-open', 'The eligibility service has been failing and is given time to recover.'],
  ] as const)('is a 502 that names the service and the reason "%s"', async (reason, detail) => {
    const { answer, errors } = await coverageFailing({ kind: 'upstream', service: 'eligibility', reason });
    expect(problemIn(answer)).toEqual({
      type: 'urn:portico:problem:upstream-failure',
      title: 'A downstream service failed',
      status: 502,
      detail,
      code: 'upstream-failure',
      service: 'eligibility',
      reason,
    });
    expect(errors).toEqual([]);
  });

  it('of not having something is a 404 that names the service', async () => {
    const { answer } = await coverageFailing({ kind: 'not-found', service: 'eligibility', code: 'not-found' });
    expect(problemIn(answer)).toEqual({
      type: 'urn:portico:problem:not-found',
      title: 'Not found',
      status: 404,
      detail: 'The eligibility service found nothing.',
      code: 'not-found',
      service: 'eligibility',
    });
  });
});

describe('preferences that were never set', () => {
  it('are a 404 of their own', async () => {
    const portal = await servePortal();
    portal.fakes.notifications.failWith({ kind: 'not-found', service: 'notifications', code: 'not-found' });
    expect(problemIn(await portal.ask('GET', '/me/preferences'))).toEqual({
      type: 'urn:portico:problem:preferences-not-set',
      title: 'Preferences were never set',
      status: 404,
      detail: 'The member has never set preferences.',
      code: 'preferences-not-set',
      service: 'notifications',
    });
  });
});

describe('too much to do', () => {
  it('is a 503 that says when to come back', async () => {
    const { answer } = await coverageFailing({ kind: 'overloaded', retryAfterSeconds: 7 });
    expect(problemIn(answer)).toEqual({
      type: 'urn:portico:problem:overloaded',
      title: 'Overloaded',
      status: 503,
      detail: 'Try again later.',
      code: 'overloaded',
    });
    expect(answer.headers['retry-after']).toBe('7');
  });
});

describe('what nobody expected', () => {
  it.each([new Error('PTY-1 and a secret'), 'a secret', undefined, { secret: true }])(
    'is a 500 that says nothing, and is told to us: %s',
    async (cause) => {
      const { answer, errors } = await coverageFailing({ kind: 'unexpected', cause });
      expect(problemIn(answer)).toEqual({
        type: 'urn:portico:problem:internal',
        title: 'Internal error',
        status: 500,
        detail: 'Something went wrong on our side.',
        code: 'internal',
      });
      expect(errors).toEqual([cause]);
    },
  );
});

describe('a wrong input', () => {
  it('is a 400 that names everything that is wrong', async () => {
    const portal = await servePortal();
    const answer = await portal.ask('PUT', '/me/preferences', {
      body: '{"email":"yes","sms":true,"push":true,"fax/~":1}',
    });
    expect(problemIn(answer)).toEqual({
      type: 'urn:portico:problem:invalid-request',
      title: 'The request is not valid',
      status: 400,
      detail:
        'Preferences are exactly email, sms, push, claimsUpdates, billingAlerts, enrollmentReminders, each true or false.',
      code: 'invalid-request',
      errors: [
        { path: '/email', message: 'must be true or false' },
        { path: '/claimsUpdates', message: 'must be true or false' },
        { path: '/billingAlerts', message: 'must be true or false' },
        { path: '/enrollmentReminders', message: 'must be true or false' },
        { path: '/fax~1~0', message: 'is not a preference' },
      ],
    });
    expect(portal.asked).toEqual([]);
  });

  it('has no list of errors when there are none to name', async () => {
    const { answer } = await coverageFailing({ kind: 'invalid', detail: 'No.', errors: [] });
    expect(problemIn(answer)).not.toHaveProperty('errors');
  });
});

describe('the id of a request', () => {
  it.each(['0123456789abcdef', 'B9A4C0DE-0000-4000-8000-000000000000', 'f'.repeat(64)])(
    'is the one the caller gave: %s',
    async (id) => {
      const portal = await servePortal();
      const answer = await portal.ask('GET', '/me/nothing', { headers: { 'x-request-id': id } });
      expect(answer.headers['x-request-id']).toBe(id);
      expect(answer.json).toMatchObject({ requestId: id });
    },
  );

  it.each(['0123456789abcde', 'f'.repeat(65), 'member@example.org', '0123456789abcdeg', 'PTY-1 PTY-1 PTY-1', ''])(
    'is a new one when the caller gave "%s"',
    async (id) => {
      const portal = await servePortal();
      const answers = [1, 2].map(() => portal.ask('GET', '/me/nothing', { headers: { 'x-request-id': id } }));
      const [first, second] = await Promise.all(answers);
      expect(first && problemIn(first)).toMatchObject({ code: 'no-such-route' });
      expect(first?.headers['x-request-id']).not.toBe(second?.headers['x-request-id']);
    },
  );
});
