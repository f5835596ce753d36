import { once } from 'node:events';
import { Readable } from 'node:stream';
import { errAsync, okAsync, ResultAsync } from 'neverthrow';
import {
  type CallbackVerifier,
  type Failure,
  refusedToken,
  toJson,
  tokenRefusals,
  unauthenticated,
  upstream,
  upstreamStatus,
} from '@portico/core';
import { describe, expect, it } from 'vitest';
import { acknowledged, aLeg } from '@portico/core/testing';
import type { LegReport } from '../routing/route.ts';
import type { RequestReport } from './request-report.ts';
import {
  openSocket,
  rawGet,
  readToEnd,
  routes,
  servePortal,
  type PortalSettings,
} from '../server/portal.test.support.ts';
import {
  aSearch,
  clientOf,
  onSearch,
  rawSearch,
  refused,
  serveSearch,
  transactionId,
} from '../server/search.test.support.ts';

const reporting = async (settings: PortalSettings = {}) => {
  const reports: RequestReport[] = [];
  const portal = await servePortal({ onResponse: (report) => reports.push(report), ...settings });
  const reported = async (count = 1) => {
    await expect.poll(() => reports.length, { interval: 1 }).toBe(count);
    return reports;
  };
  return { ...portal, reported };
};

const withDocument = (content: Readable) => ({
  ports: { documents: { get: () => okAsync({ outcome: 'whole', content, headers: {} } as const) } },
});

describe('request report', () => {
  it.each(routes)(
    'reports the template of the route %s %s',
    async (method, path, _service, _operation, body?: string) => {
      const { request, reported } = await reporting();
      const { status, headers } = await request(method, path, body === undefined ? {} : { body });
      const template = path.replace(/CLM-1|DOC-1/, ':locator');
      expect(await reported()).toMatchObject([
        { method, route: template, status, outcome: 'sent', requestId: headers['x-request-id'] },
      ]);
    },
  );

  it('reports the route "none" for paths without a route', async () => {
    const { request, reported } = await reporting();
    for (const path of ['/me/PTY-1', '/me/claims/a/b', '/PTY-1', '/me/coverage/', '//']) await request('GET', path);
    expect((await reported(5)).map(({ route }) => route)).toEqual(Array(5).fill('none'));
  });

  it('reports the route of a 401, but not of a 405', async () => {
    const { request, reported } = await reporting();
    await request('GET', '/me/coverage', { headers: { authorization: 'Bearer x' } });
    await request('GET', '/me/claims/CLM-1', { headers: { authorization: undefined } });
    await request('DELETE', '/me/coverage');
    expect((await reported(3)).map(({ route, status }) => [route, status])).toEqual([
      ['/me/coverage', 401],
      ['/me/claims/:locator', 401],
      ['none', 405],
    ]);
  });

  it('reports the durations of all stages, which add up to the total', async () => {
    const { request, reported } = await reporting();
    await request('GET', '/me/coverage');
    const [report] = await reported();
    const { authenticationMs = -1, useCaseMs, sendingMs } = report!.stages;
    for (const ms of [authenticationMs, useCaseMs, sendingMs]) expect(ms).toBeGreaterThanOrEqual(0);
    expect(authenticationMs + useCaseMs + sendingMs).toBeCloseTo(report!.durationMs, 6);
  });

  it('reports the outcome "cut" and status 499 after a disconnect', async () => {
    const received = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const coverage = () => {
      received.resolve();
      return ResultAsync.fromSafePromise(gate.promise).andThen(() => okAsync(toJson({})));
    };
    const { port, token, reported } = await reporting({
      ports: { eligibility: { coverage } },
    });
    const socket = await openSocket(port);
    socket.write(rawGet('/me/coverage', token));
    await received.promise;
    socket.destroy();
    await once(socket, 'close');
    expect(await reported()).toMatchObject([{ route: '/me/coverage', outcome: 'cut', status: 499 }]);
    gate.resolve();
  });

  it('reports status 499 when a client resets the connection before the first byte of a document', async () => {
    const isRead = Promise.withResolvers<void>();
    const content = new Readable({ read: () => isRead.resolve() });
    const { port, token, reported } = await reporting(withDocument(content));
    const socket = await openSocket(port);
    socket.write(rawGet('/me/documents/DOC-1', token));
    await isRead.promise;
    socket.resetAndDestroy();
    expect(await reported()).toMatchObject([{ route: '/me/documents/:locator', outcome: 'cut', status: 499 }]);
  });

  it('reports status 502 when the content of a document fails before its first byte', async () => {
    const content = new Readable({ read: () => content.destroy(new Error('The connection was lost.')) });
    const { port, token, reported } = await reporting(withDocument(content));
    const socket = await openSocket(port);
    socket.write(rawGet('/me/documents/DOC-1', token));
    expect(await readToEnd(socket)).toBe('');
    expect(await reported()).toMatchObject([{ route: '/me/documents/:locator', outcome: 'cut', status: 502 }]);
  });

  it.each<[Failure, object]>([
    [
      upstreamStatus('claims', 503),
      { code: 'upstream-failure', service: 'claims', reason: 'status', upstreamStatus: 503 },
    ],
    [upstream('claims', 'timeout'), { code: 'upstream-failure', service: 'claims', reason: 'timeout' }],
    [{ kind: 'overloaded', retryAfterSeconds: 1 }, { code: 'overloaded' }],
    [{ kind: 'unexpected', cause: new Error('a bug') }, { code: 'internal' }],
  ])('reports why a request failed: %j', async (failure, problem) => {
    const { request, fakes, reported } = await reporting();
    fakes.claims.failWith(failure);
    const { text } = await request('GET', '/me/claims');
    const [report] = await reported();
    expect(JSON.parse(JSON.stringify(report?.problem))).toEqual(problem);
    expect(text).not.toContain('upstreamStatus');
  });

  it('reports no problem for a success', async () => {
    const { request, reported } = await reporting();
    await request('GET', '/me/coverage');
    expect((await reported())[0]).not.toHaveProperty('problem');
  });

  it.each(tokenRefusals)('reports why a token was refused, which the client does not receive: %s', async (refusal) => {
    const { request, fakes, reported } = await reporting();
    const responseTo = async (failure: Failure) => {
      fakes.identity.failWith(failure);
      const { status, json, headers } = await request('GET', '/me/coverage');
      return { status, json: { ...(json as object), requestId: '' }, challenge: headers['www-authenticate'] };
    };
    expect(await responseTo(refusedToken(refusal))).toEqual(await responseTo(unauthenticated('invalid')));
    expect((await reported(2)).map(({ problem }) => problem)).toMatchObject([
      { code: 'unauthenticated', refusal },
      { code: 'unauthenticated' },
    ]);
  });

  it('distinguishes a malformed token from a missing one', async () => {
    const { request, reported } = await reporting();
    await request('GET', '/me/coverage', { headers: { authorization: 'Bearer x' } });
    await request('GET', '/me/coverage', { headers: { authorization: undefined } });
    const [malformed, missing] = await reported(2);
    expect(malformed?.problem?.refusal).toBe('malformed');
    expect(missing?.problem?.refusal).toBeUndefined();
  });

  it('reports no member, token, query or path', async () => {
    const { request, token, reported } = await reporting();
    await request('GET', '/me/claims/CLM-1?status=open');
    await request('GET', '/me/claims?status=open', { headers: { 'x-request-id': 'PTY-1' } });
    const text = JSON.stringify(await reported(2));
    for (const secret of ['PTY-1', 'CLM-1', 'open', token]) expect(text).not.toContain(secret);
  });

  it('reports searches and callbacks', async () => {
    const reports: RequestReport[] = [];
    const { port, clock, posted, search } = await serveSearch({ onResponse: (report) => reports.push(report) });
    const response = search(aSearch);
    await posted(2);
    await clientOf(port).callBack(onSearch('x'), {}, '/on_search/');
    clock.advance(10_000);
    await response;
    await expect
      .poll(() => reports.map(({ route, status }) => [route, status]))
      .toEqual([
        ['/on_search/', 200],
        ['/api/search', 200],
      ]);
  });

  it('reports how each leg of a search ended', async () => {
    const legs: LegReport[] = [];
    const script = { moa: acknowledged, mh: acknowledged, down: refused };
    const host = await serveSearch({
      legs: ['moa', 'mh', 'down'].map((id) => aLeg(id)),
      script,
      onLeg: (leg) => legs.push(leg),
    });
    const response = host.search();
    await expect.poll(() => legs.length, { interval: 1 }).toBe(1);
    host.clock.advance(1200);
    await host.callBack(onSearch(transactionId(1)));
    host.clock.advance(8800);
    await response;
    expect(legs).toEqual([
      { leg: 'down', outcome: 'unreachable', sellerErrors: 0, durationMs: 0 },
      { leg: 'moa', outcome: 'delivered', sellerErrors: 0, durationMs: 1200 },
      { leg: 'mh', outcome: 'timeout', sellerErrors: 0, durationMs: 10_000 },
    ]);
  });

  it('reports the legs of a search as cancelled when the client disconnects', async () => {
    const legs: LegReport[] = [];
    const host = await serveSearch({ onLeg: (leg) => legs.push(leg) });
    const socket = await openSocket(host.port);
    socket.write(rawSearch());
    await host.posted(2);
    socket.destroy();
    await expect.poll(() => legs.map(({ outcome }) => outcome), { interval: 1 }).toEqual(['cancelled', 'cancelled']);
  });

  it('passes an exception of onResponse to onError, and continues to serve', async () => {
    const bug = new Error('onResponse failed');
    const onResponse = () => {
      throw bug;
    };
    const { port, request, errors } = await servePortal({ onResponse });
    expect((await request('GET', '/me/coverage')).status).toBe(200);
    const socket = await openSocket(port);
    socket.write('malformed\r\n\r\n');
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 400 /);
    await expect.poll(() => errors, { interval: 1 }).toEqual([bug, bug]);
  });

  it('passes an exception of onLeg to onError, and completes the search', async () => {
    const bug = new Error('onLeg failed');
    const onLeg = () => {
      throw bug;
    };
    const host = await serveSearch({ script: { moa: refused, mh: refused }, onLeg });
    expect((await host.search()).status).toBe(200);
    expect(host.errors).toEqual([bug]);
  });

  it('reports the code, service and reason of a refused callback', async () => {
    const reports: RequestReport[] = [];
    const verifier: CallbackVerifier = { verify: () => errAsync(upstream('registry', 'timeout')) };
    const { posted, search, callBack, clock } = await serveSearch({
      legs: [aLeg('moa', { verifyCallbacks: true })],
      script: { moa: acknowledged },
      verifier,
      onResponse: (report) => reports.push(report),
    });
    const response = search();
    await posted(1);
    expect((await callBack(onSearch(transactionId(1)), { authorization: 'Signature any' })).status).toBe(503);
    await expect
      .poll(() => reports[0]?.problem)
      .toEqual({ code: 'upstream-failure', service: 'registry', reason: 'timeout' });
    clock.advance(10_000);
    await response;
  });
});
