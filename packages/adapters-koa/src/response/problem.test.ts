import { type Failure, notFound, problemOf, upstream, upstreamReasons } from '@portico/core';
import { describe, expect, it } from 'vitest';
import { problemIn, servePortal } from '../server/portal.test.support.ts';

const coverageFailing = async (failure: Failure) => {
  const portal = await servePortal();
  portal.fakes.eligibility.failWith(failure);
  return { response: await portal.request('GET', '/me/coverage'), errors: portal.errors };
};

describe('downstream failures', () => {
  it.each(upstreamReasons)('returns 502 with the service and the reason "%s"', async (reason) => {
    const failure = upstream('eligibility', reason);
    const { response, errors } = await coverageFailing(failure);
    expect(problemIn(response)).toEqual({
      type: 'urn:portico:problem:upstream-failure',
      title: 'A downstream service failed',
      status: 502,
      detail: problemOf(failure).detail,
      code: 'upstream-failure',
      service: 'eligibility',
      reason,
    });
    expect(errors).toEqual([]);
  });

  it('returns 404 with the service if it does not find the resource', async () => {
    const { response } = await coverageFailing(notFound('eligibility'));
    expect(problemIn(response)).toEqual({
      type: 'urn:portico:problem:not-found',
      title: 'Not found',
      status: 404,
      detail: problemOf(notFound('eligibility')).detail,
      code: 'not-found',
      service: 'eligibility',
    });
  });
});

describe('preferences that were never set', () => {
  it('returns 404 with the code preferences-not-set if preferences were never set', async () => {
    const portal = await servePortal();
    portal.fakes.notifications.failWith({ kind: 'not-found', service: 'notifications', code: 'not-found' });
    expect(problemIn(await portal.request('GET', '/me/preferences'))).toEqual({
      type: 'urn:portico:problem:preferences-not-set',
      title: 'Preferences were never set',
      status: 404,
      detail: problemOf({ kind: 'not-found', service: 'notifications', code: 'preferences-not-set' }).detail,
      code: 'preferences-not-set',
      service: 'notifications',
    });
  });
});

describe('overload', () => {
  it('returns 503 with Retry-After on overload', async () => {
    const { response } = await coverageFailing({ kind: 'overloaded', retryAfterSeconds: 7 });
    expect(problemIn(response)).toEqual({
      type: 'urn:portico:problem:overloaded',
      title: 'Overloaded',
      status: 503,
      detail: problemOf({ kind: 'overloaded', retryAfterSeconds: 7 }).detail,
      code: 'overloaded',
    });
    expect(response.headers['retry-after']).toBe('7');
  });
});

describe('unexpected failures', () => {
  it.each([new Error('PTY-1 and a secret'), 'a secret', undefined, { secret: true }])(
    'returns 500 without details for an unexpected failure and reports it to onError: %s',
    async (cause) => {
      const { response, errors } = await coverageFailing({ kind: 'unexpected', cause });
      expect(problemIn(response)).toEqual({
        type: 'urn:portico:problem:internal',
        title: 'Internal error',
        status: 500,
        detail: problemOf({ kind: 'unexpected', cause }).detail,
        code: 'internal',
      });
      expect(errors).toEqual([cause]);
    },
  );
});

it.each(['ECONNRESET', 'EPIPE'])('an exception with the code %s of another connection is reported', async (code) => {
  const cause = Object.assign(new Error('of the database'), { code });
  const { response, errors } = await coverageFailing({ kind: 'unexpected', cause });
  expect([response.status, errors]).toEqual([500, [cause]]);
});

describe('invalid input', () => {
  it('returns 400 with every error in the input', async () => {
    const portal = await servePortal();
    const response = await portal.request('PUT', '/me/preferences', {
      body: '{"email":"yes","sms":true,"push":true,"fax/~":1}',
    });
    expect(problemIn(response)).toEqual({
      type: 'urn:portico:problem:invalid-request',
      title: 'The request is not valid',
      status: 400,
      detail: expect.any(String) as string,
      code: 'invalid-request',
      errors: ['/email', '/claimsUpdates', '/billingAlerts', '/enrollmentReminders', '/fax~1~0'].map((path) => ({
        path,
        message: expect.any(String) as string,
      })),
    });
    expect(portal.calls).toEqual([]);
  });

  it('omits errors from problem details if there are none', async () => {
    const { response } = await coverageFailing({ kind: 'invalid', detail: 'No.', errors: [] });
    expect(problemIn(response)).not.toHaveProperty('errors');
  });
});

describe('request id', () => {
  it.each(['0123456789abcdef', 'B9A4C0DE-0000-4000-8000-000000000000', 'f'.repeat(64)])(
    'uses X-Request-Id as the request id: %s',
    async (id) => {
      const portal = await servePortal();
      const response = await portal.request('GET', '/me/nothing', { headers: { 'x-request-id': id } });
      expect(response.headers['x-request-id']).toBe(id);
      expect(response.json).toMatchObject({ requestId: id });
    },
  );

  it.each(['0123456789abcde', 'f'.repeat(65), 'member@example.org', '0123456789abcdeg', '01234567 89abcdef', ''])(
    'creates a new request id if X-Request-Id is "%s"',
    async (id) => {
      const portal = await servePortal();
      const responses = [1, 2].map(() => portal.request('GET', '/me/nothing', { headers: { 'x-request-id': id } }));
      const [first, second] = await Promise.all(responses);
      expect(first && problemIn(first)).toMatchObject({ code: 'no-such-route' });
      expect(first?.headers['x-request-id']).not.toBe(second?.headers['x-request-id']);
    },
  );
});
