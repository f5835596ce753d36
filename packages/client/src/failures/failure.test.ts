import { createServer } from '@portico/adapters-koa';
import {
  type Failure,
  insufficientScope,
  invalid,
  notFound,
  preconditionFailed,
  toJson,
  unauthenticated,
  upstream,
} from '@portico/core';
import { fakeRateLimiter } from '@portico/core/testing';
import { err } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { failureOf } from './failure.ts';
import { porticoClient } from '../index.ts';
import { listening, servePortico, type ServedPorticoSettings } from '../portico.test.support.ts';

/** Every kind of use case failure, in all its forms. */
const failures: Readonly<Record<Failure['kind'], readonly Failure[]>> = {
  invalid: [
    invalid('Invalid.'),
    invalid('Invalid.', { path: '/email', message: 'must be true' }, { path: '', message: 'is required' }),
  ],
  unauthenticated: [unauthenticated('missing'), unauthenticated('invalid'), unauthenticated('invalid-proof')],
  'insufficient-scope': [insufficientScope('me:read me:write')],
  'not-found': [
    notFound('eligibility'),
    notFound('registry'),
    notFound('authorizations'),
    { kind: 'not-found', service: 'notifications', code: 'preferences-not-set' },
  ],
  upstream: [
    upstream('identity', 'status'),
    upstream('eligibility', 'unreachable'),
    upstream('claims', 'timeout'),
    upstream('documents', 'malformed'),
    upstream('policy', 'too-large'),
    upstream('notifications', 'circuit-open'),
    upstream('consent', 'status'),
    upstream('search', 'timeout'),
  ],
  'precondition-failed': [preconditionFailed('policy')],
  overloaded: [
    { kind: 'overloaded', retryAfterSeconds: 1 },
    { kind: 'overloaded', retryAfterSeconds: 7 },
  ],
  unexpected: [],
};

describe('a use case failure', () => {
  it.each(Object.values(failures).flat())(
    'a use case failure is returned by the client unchanged: %o',
    async (failure) => {
      const { fakes, clientOf } = await servePortico();
      fakes.eligibility.failWith(failure);
      expect(await clientOf('PTY-1').getCoverage()).toEqual(err(failure));
    },
  );

  it('a use case failure is reduced to the request id when it is unexpected', async () => {
    const { fakes, clientOf } = await servePortico();
    fakes.eligibility.failWith({ kind: 'unexpected', cause: new Error('hunter2') });
    const failed = await clientOf('PTY-1').getCoverage();
    const cause = { requestId: expect.stringMatching(/^[\da-f-]{36}$/) as string };
    expect(failed).toEqual(err({ kind: 'unexpected', cause }));
  });
});

const submitClaim = async (settings: ServedPorticoSettings) =>
  (await servePortico(settings)).clientOf('PTY-1').submitClaim(toJson({ type: 'dental' }));

describe('a rejected request', () => {
  it('fails rate-limited with the delay when the member exceeds the rate limit', async () => {
    const submitted = await submitClaim({ memberLimiter: fakeRateLimiter({ requests: 0, seconds: 90 }) });
    expect(submitted).toEqual(err({ kind: 'rate-limited', retryAfterSeconds: 90 }));
  });

  it('fails refused with status 413 when the body is too large', async () => {
    expect(await submitClaim({ maxRequestBytes: 10 })).toMatchObject({
      error: { kind: 'refused', status: 413, code: 'too-large', detail: expect.stringContaining('10') as string },
    });
  });

  it('fails refused with status 431 when the token exceeds the header limit', async () => {
    const { url } = await servePortico({ connections: { maxHeaderBytes: 2048 } });
    const response = await porticoClient({ url, token: `${'x'.repeat(4096)}.y.z` }).getCoverage();
    expect(response).toMatchObject({ error: { kind: 'refused', status: 431, code: 'header-too-large' } });
  });

  it('fails refused with code no-such-route when the member API is disabled', async () => {
    const response = await porticoClient({ url: await listening(createServer({})) }).getCoverage();
    expect(response).toMatchObject({ error: { kind: 'refused', status: 404, code: 'no-such-route' } });
  });
});

const problem = (code: string, more: object = {}) => ({
  type: `urn:portico:problem:${code}`,
  title: 'A title',
  status: 502,
  detail: 'A detail.',
  code,
  ...more,
});
const readAs = (value: unknown, headers: Readonly<Record<string, string>> = {}) =>
  failureOf(value, { status: 502, headers: new Headers(headers) });

describe('problem details', () => {
  it.each([
    ['an unknown code', problem('new-fangled')],
    ['a code that is the name of an Object.prototype property', problem('constructor')],
    ['an invalid service', problem('upstream-failure', { service: 'Dental 2', reason: 'status' })],
    ['an unknown reason', problem('upstream-failure', { service: 'claims', reason: 'new-fangled' })],
    ['no service', problem('not-found')],
  ])('problem details from a newer server are kept as code and detail: %s', (_, value) => {
    const { code, detail } = value;
    expect(readAs(value)).toEqual({ kind: 'refused', status: 502, code, detail });
  });

  it.each([
    ['undefined', undefined],
    ['a list', [problem('internal')]],
    ['no code', { type: 'urn:portico:problem:internal', detail: 'A detail.' }],
    ['no detail', { type: 'urn:portico:problem:internal', code: 'internal' }],
    ['another type', problem('internal', { type: 'about:blank' })],
  ])('problem details in another format are an unexpected response: %s', (_, value) => {
    expect(readAs(value)).toEqual({ kind: 'unexpected-response', status: 502 });
  });

  it('yield only the well-formed input errors', () => {
    const errors = [null, 7, { path: '/email' }, { path: '/sms', message: 'must be a boolean' }];
    expect(readAs(problem('invalid-request', { errors }))).toEqual(
      invalid('A detail.', { path: '/sms', message: 'must be a boolean' }),
    );
  });

  it.each(['', 'Sun, 22 Nov 2026 00:00:00 GMT', '-1', '1.5'])(
    'default to a delay of one second when Retry-After is "%s"',
    (retryAfter) => {
      expect(readAs(problem('overloaded'), { 'Retry-After': retryAfter })).toEqual({
        kind: 'overloaded',
        retryAfterSeconds: 1,
      });
    },
  );
});
