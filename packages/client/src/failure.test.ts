import { createServer } from '@portico/adapters-koa';
import { type Failure, invalid, notFound, preconditionFailed, toJson, unauthenticated, upstream } from '@portico/core';
import { fakeRateLimiter } from '@portico/core/testing';
import { err } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { failureOf } from './failure.ts';
import { porticoClient } from './index.ts';
import { listening, servePortico, type ServedPorticoSettings } from './portico.test.support.ts';

/** Each kind of failure that a use case has, in all its forms. */
const failures: Readonly<Record<Failure['kind'], readonly Failure[]>> = {
  invalid: [
    invalid('No.'),
    invalid('Not so.', { path: '/email', message: 'must be true' }, { path: '', message: 'must be' }),
  ],
  unauthenticated: [unauthenticated('missing'), unauthenticated('invalid')],
  'not-found': [
    notFound('eligibility'),
    notFound('registry'),
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

describe('what went wrong behind the server', () => {
  it.each(Object.values(failures).flat())('comes back as the use case gave it: %o', async (failure) => {
    const { fakes, clientOf } = await servePortico();
    fakes.eligibility.failWith(failure);
    expect(await clientOf('PTY-1').getCoverage()).toEqual(err(failure));
  });

  it('stays with the server when nobody expected it, and can be found there by the id of the request', async () => {
    const { fakes, clientOf } = await servePortico();
    fakes.eligibility.failWith({ kind: 'unexpected', cause: new Error('hunter2') });
    const failed = await clientOf('PTY-1').getCoverage();
    const cause = { requestId: expect.stringMatching(/^[\da-f-]{36}$/) as string };
    expect(failed).toEqual(err({ kind: 'unexpected', cause }));
  });
});

const filing = async (settings: ServedPorticoSettings) =>
  (await servePortico(settings)).clientOf('PTY-1').submitClaim(toJson({ type: 'dental' }));

describe('a request that the server does not take', () => {
  it('is told to come back later when its member asks too often', async () => {
    const filed = await filing({ memberLimiter: fakeRateLimiter({ requests: 0, seconds: 90 }) });
    expect(filed).toEqual(err({ kind: 'rate-limited', retryAfterSeconds: 90 }));
  });

  it('is refused for its size', async () => {
    const detail = 'The body may have at most 10 bytes.';
    expect(await filing({ maxRequestBytes: 10 })).toEqual(
      err({ kind: 'refused', status: 413, code: 'too-large', detail }),
    );
  });

  it('is refused for a token that no header has room for', async () => {
    const { url } = await servePortico({ connections: { maxHeaderBytes: 2048 } });
    const asked = await porticoClient({ url, token: `${'x'.repeat(4096)}.y.z` }).getCoverage();
    expect(asked).toMatchObject({ error: { kind: 'refused', status: 431, code: 'header-too-large' } });
  });

  it('is refused where Portico runs without the half that it is for', async () => {
    const asked = await porticoClient({ url: await listening(createServer({})) }).getCoverage();
    const detail = 'There is no such route.';
    expect(asked).toEqual(err({ kind: 'refused', status: 404, code: 'no-such-route', detail }));
  });
});

const problem = (code: string, more: object = {}) => ({
  type: `urn:portico:problem:${code}`,
  title: 'A title',
  status: 502,
  detail: 'A sentence.',
  code,
  ...more,
});
const readAs = (value: unknown, headers: Readonly<Record<string, string>> = {}) =>
  failureOf(value, { status: 502, headers: new Headers(headers) });

describe('problem details', () => {
  it.each([
    ['a code that we do not know', problem('new-fangled')],
    ['a code that is the name of what every object has', problem('constructor')],
    ['a service that we do not know', problem('upstream-failure', { service: 'dental', reason: 'status' })],
    ['a reason that we do not know', problem('upstream-failure', { service: 'claims', reason: 'tired' })],
    ['no service', problem('not-found')],
  ])('of a newer server are kept as they are: %s', (_, value) => {
    const { code, detail } = value;
    expect(readAs(value)).toEqual({ kind: 'refused', status: 502, code, detail });
  });

  it.each([
    ['nothing', undefined],
    ['a list', [problem('internal')]],
    ['no code', { type: 'urn:portico:problem:internal', detail: 'A sentence.' }],
    ['no detail', { type: 'urn:portico:problem:internal', code: 'internal' }],
    ["somebody else's type", problem('internal', { type: 'about:blank' })],
  ])('that no Portico writes are nothing to go by: %s', (_, value) => {
    expect(readAs(value)).toEqual({ kind: 'unexpected-response', status: 502 });
  });

  it('give no errors but whole ones', () => {
    const errors = [null, 7, { path: '/email' }, { path: '/sms', message: 'must be a boolean' }];
    expect(readAs(problem('invalid-request', { errors }))).toEqual(
      invalid('A sentence.', { path: '/sms', message: 'must be a boolean' }),
    );
  });

  it.each(['', 'Sun, 22 Nov 2026 00:00:00 GMT', '-1', '1.5'])(
    'are taken to mean a second where Retry-After says "%s"',
    (retryAfter) => {
      expect(readAs(problem('overloaded'), { 'Retry-After': retryAfter })).toEqual({
        kind: 'overloaded',
        retryAfterSeconds: 1,
      });
    },
  );
});
