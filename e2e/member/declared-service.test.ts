import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { httpService } from '@portico/adapters-http';
import { createServer } from '@portico/adapters-koa';
import { createUseCases, declareService, ownService, toJson } from '@portico/core';
import { aMember, fakePorts, fakeService, serviceContract, somePdf } from '@portico/core/testing';
import { describe, it, onTestFinished } from 'vitest';

const visit = { path: '/me/visits/{locator}' } as const;

/** Each path is that of the member route, so that a Portico can be the service that another one calls. */
const visits = declareService(
  'visits',
  {
    list: { route: 'GET /me/visits', path: '/me/visits', query: ['status'] },
    get: { route: 'GET /me/visits/{locator}', ...visit },
    book: { route: 'POST /me/visits', path: '/me/visits' },
    move: { route: 'PATCH /me/visits/{locator}', ...visit },
    replace: { route: 'PUT /me/visits/{locator}', ...visit },
    cancel: { route: 'DELETE /me/visits/{locator}', ...visit },
    report: { route: 'GET /me/visits/{locator}/report', path: '/me/visits/{locator}/report', type: 'application/pdf' },
  },
  { memberFrom: 'token' },
);

const parameters = { locator: 'VISIT-1' };
const body = toJson({ date: '2026-01-02' });

/** The HTTP adapter of the service, which is a server with a fake behind it. */
const subject = async () => {
  const fakes = fakePorts();
  const fake = fakeService(visits, {
    'PTY-1': {
      '/me/visits': { visits: [{ locator: 'VISIT-1' }] },
      '/me/visits/VISIT-1': { locator: 'VISIT-1', date: '2026-01-01' },
      '/me/visits/VISIT-1/report': somePdf,
    },
    'PTY-2': { '/me/visits': { visits: [] } },
  });
  const server = createServer(createUseCases({ ...fakes, services: [ownService(visits, fake)] }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const memberOf = (sub: string) => aMember(sub, fakes.identity.issue({ sub }));
  return {
    service: httpService(visits, { url: `http://127.0.0.1:${port}` }),
    member: memberOf('PTY-1'),
    other: memberOf('PTY-2'),
    requests: {
      list: { query: { status: 'open' } },
      get: { parameters },
      book: { body },
      move: { parameters, body },
      replace: { parameters, body },
      cancel: { parameters },
      report: { parameters },
    },
  };
};

serviceContract(visits)({ describe, it, deadlineMs: 60_000 }, subject);
