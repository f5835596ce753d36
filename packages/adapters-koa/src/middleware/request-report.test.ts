import { once } from 'node:events';
import { okAsync, ResultAsync } from 'neverthrow';
import { toJson } from '@portico/core';
import { describe, expect, it } from 'vitest';
import type { RequestReport } from './request-report.ts';
import { openSocket, routes, servePortal, type PortalSettings } from '../server/portal.test.support.ts';
import { aSearch, clientOf, onSearch, serveSearch } from '../server/search.test.support.ts';

const reporting = async (settings: PortalSettings = {}) => {
  const reports: RequestReport[] = [];
  const portal = await servePortal({ onResponse: (report) => reports.push(report), ...settings });
  const reported = async (count = 1) => {
    await expect.poll(() => reports.length, { interval: 1 }).toBe(count);
    return reports;
  };
  return { ...portal, reported };
};

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
    socket.write(`GET /me/coverage HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await received.promise;
    socket.destroy();
    await once(socket, 'close');
    expect(await reported()).toMatchObject([{ route: '/me/coverage', outcome: 'cut', status: 499 }]);
    gate.resolve();
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
});
