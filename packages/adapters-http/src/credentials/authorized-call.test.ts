import { type Credentials, type Failure, type HeaderFields, refusedToken, upstream } from '@portico/core';
import { aMember, fakeClock } from '@portico/core/testing';
import { err, errAsync, ok, okAsync, type Result, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { httpClaims } from '../downstreams/claims.ts';
import { httpDocuments } from '../downstreams/documents.ts';
import { httpNotifications } from '../downstreams/notifications.ts';
import { httpServer, watchedSignal } from '../http/local-servers.test.support.ts';
import type { DocumentLocator } from '@portico/core';
import { authorizedCall } from './authorized-call.ts';
import { noCredentials } from './member-token.ts';

const member = aMember('PTY-1', 'aaaa.bbbb.cccc');

/** A service that responds with JSON. */
const service = () =>
  httpServer((response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));

const always = (result: ReturnType<Credentials['for']>): Credentials => ({ identifiesMember: true, for: () => result });

/** Credentials that are known when the test settles them. */
const pendingCredentials = () => {
  const { promise, resolve } = Promise.withResolvers<Result<HeaderFields, Failure>>();
  return { credentials: always(new ResultAsync(promise)), settle: resolve };
};

describe('a call to a service', () => {
  it("carries the member's own token by default", async () => {
    const { url, requests } = await service();
    await httpClaims({ url }).list(member, []);
    expect(requests[0]?.headers['authorization']).toBe('Bearer aaaa.bbbb.cccc');
  });

  it.each([
    ['known', ok({ authorization: 'Bearer issued', 'x-sender': 'portico' })],
    ['requested', okAsync({ authorization: 'Bearer issued', 'x-sender': 'portico' })],
  ])('carries only the configured credentials when they are %s', async (_case, fields) => {
    const { url, requests } = await service();
    await httpClaims({ url, credentials: always(fields) }).list(member, []);
    expect(requests[0]?.headers).toMatchObject({ authorization: 'Bearer issued', 'x-sender': 'portico' });
    expect(JSON.stringify(requests)).not.toContain('aaaa.bbbb.cccc');
  });

  it('carries no credentials when none are configured', async () => {
    const { url, requests } = await service();
    await httpClaims({ url, credentials: noCredentials }).list(member, []);
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('carries the static headers of the service beside any credentials', async () => {
    const { url, requests } = await service();
    const headers = { 'X-Api-Key': 'k', tenant: '7' };
    await httpClaims({ url, headers }).submit(member, { text: '{}', value: {}, idempotencyKey: 'i' });
    await httpClaims({ url, headers, credentials: noCredentials }).list(member, []);
    expect(requests.map((request) => [request.headers['x-api-key'], request.headers['tenant']])).toEqual([
      ['k', '7'],
      ['k', '7'],
    ]);
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer aaaa.bbbb.cccc',
      'content-type': 'application/json',
      'idempotency-key': 'i',
    });
  });

  it.each([
    ['known', err(refusedToken('exchange'))],
    ['requested', errAsync(upstream('identity', 'timeout'))],
  ])('is not sent when its credentials fail, and has their failure: %s', async (_case, failure) => {
    const { url, requests } = await service();
    expect(await httpClaims({ url, credentials: always(failure) }).list(member, [])).toEqual(await failure);
    expect(requests).toEqual([]);
  });
});

describe('the wait for credentials', () => {
  it('ends with the deadline of the call, as a failure of the identity provider', async () => {
    const { url, requests } = await service();
    const clock = fakeClock();
    const { credentials, settle } = pendingCredentials();
    const call = httpClaims({ url, clock, timeoutMs: 3000, credentials }).list(member, []);
    clock.advance(3000);
    expect(await call).toEqual(err(upstream('identity', 'timeout')));
    settle(ok({ authorization: 'Bearer late' }));
    expect([requests, clock.scheduled]).toEqual([[], 0]);
  });

  it('is part of the deadline of the call', async () => {
    const server = await httpServer(() => {});
    const clock = fakeClock();
    const { credentials, settle } = pendingCredentials();
    const call = httpClaims({ url: server.url, clock, timeoutMs: 3000, credentials }).list(member, []);
    clock.advance(2000);
    settle(ok({}));
    await server.until(() => server.requests.length === 1);
    clock.advance(999);
    expect(clock.scheduled).toBe(1);
    clock.advance(1);
    expect(await call).toEqual(err(upstream('claims', 'timeout')));
  });

  it('ends when the caller leaves, without a listener or a timer that stays', async () => {
    const { url, requests } = await service();
    const clock = fakeClock();
    const { credentials, settle } = pendingCredentials();
    const signal = watchedSignal();
    const call = httpDocuments({ url, clock, credentials }).get(member, 'DOC-1' as DocumentLocator, {}, signal);
    signal.abort();
    expect(await call).toEqual(err(upstream('identity', 'unreachable')));
    settle(ok({}));
    expect([requests, clock.scheduled, signal.listeners]).toEqual([[], 0, 0]);
  });

  it('rejects when its credentials reject, which is a bug, without a listener or a timer that stays', async () => {
    const clock = fakeClock();
    const signal = watchedSignal();
    const bug = new Error('a bug');
    const credentials = always(new ResultAsync<never, never>(Promise.reject(bug)));
    const call = authorizedCall(credentials, member, { clock, timeoutMs: 1000, signal }, () => okAsync('sent'));
    await expect(call).rejects.toBe(bug);
    expect([clock.scheduled, signal.listeners]).toEqual([0, 0]);
  });

  it('ends at once when the caller has left before', async () => {
    const { url } = await service();
    const { credentials } = pendingCredentials();
    const signal = { ...watchedSignal(), aborted: true };
    const call = httpDocuments({ url, credentials }).get(member, 'DOC-1' as DocumentLocator, {}, signal);
    expect(await call).toEqual(err(upstream('identity', 'unreachable')));
  });
});

describe('credentials that identify no member', () => {
  it('are refused for a service with a path without the party locator', () => {
    expect(() => httpNotifications({ url: 'http://notifications.test', credentials: noCredentials })).toThrow(
      new TypeError('The path ownPreferences must contain {partyLocator}: the credentials identify no member.'),
    );
    expect(() =>
      httpClaims({ url: 'http://claims.test', credentials: noCredentials, paths: { list: '/claims' } }),
    ).toThrow(TypeError);
  });

  it('are accepted when custom paths contain the party locator', () => {
    const paths = {
      ownPreferences: '/preferences/{partyLocator}',
      list: '/notifications/{partyLocator}',
      log: '/log?party={partyLocator}',
    };
    expect(() =>
      httpNotifications({ url: 'http://notifications.test', credentials: noCredentials, paths }),
    ).not.toThrow();
  });
});
