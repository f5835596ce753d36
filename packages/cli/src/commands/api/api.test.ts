import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from '@portico/adapters-koa';
import { createUseCases, declareService, ownService } from '@portico/core';
import { fakePorts, fakeService } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { bodyOf, documentIn, fileWith, memberSetup, portico, type Test } from '../../program/binary.test.support.ts';
import { sendJson, webServer } from '../../program/outside-world.test.support.ts';

/** Starts a service that returns the method, path and body of each request. */
const echoing = (test: Test) =>
  memberSetup(test, (response, request) => {
    void bodyOf(request).then((body) => {
      if (request.url?.endsWith('/DOC-1'))
        return response.setHeader('Content-Type', 'application/pdf').end('%PDF-1.7 x');
      return sendJson(response, { received: `${request.method} ${request.url} ${body.toString()}`.trim() });
    });
  });

describe.concurrent('portico me api', () => {
  it('calls each built-in route with the configured services', async (test) => {
    const { env } = await echoing(test);
    const body = '{"a":1}';
    const preferences =
      '{"email":true,"sms":true,"push":true,"claimsUpdates":true,"billingAlerts":true,"enrollmentReminders":true}';
    const input = fileWith(test, body);
    const calls = {
      'GET /me/coverage': 'GET /eligibility/members/PTY-1/coverage',
      'GET /me/accumulators': 'GET /eligibility/members/PTY-1/accumulators',
      'GET /me/claims --query status=a=b': 'GET /claims/members/PTY-1/claims?status=a%3Db',
      'GET /me/claims/CLM%3A1': 'GET /claims/members/PTY-1/claims/CLM%3A1',
      'GET /me/documents --query page=1 --query limit=2': 'GET /documents/members/PTY-1/documents?page=1&limit=2',
      'GET /me/profile': 'GET /policy/parties/PTY-1',
      'GET /me/notifications --query from=x': 'GET /notifications/notifications/list?from=x',
      'GET /me/notifications/log': 'GET /notifications/log/list',
      'GET /me/preferences': 'GET /notifications/preferences/PTY-1',
      'GET /me/consent': 'GET /consent/consent/PTY-1',
      [`POST /me/claims --input ${input}`]: `POST /claims/members/PTY-1/claims ${body}`,
      [`PATCH /me/profile --input ${input}`]: `PATCH /policy/parties/PTY-1 ${body}`,
      [`PUT /me/preferences --input ${fileWith(test, preferences)}`]: `PUT /notifications/preferences/PTY-1 ${preferences}`,
      [`PUT /me/consent --input ${input}`]: `PUT /consent/consent/PTY-1 ${body}`,
    };
    const printed = await Promise.all(
      Object.keys(calls).map((args) => portico(test, `me api ${args} --json`, { env })),
    );
    expect(printed.map((ended) => (documentIn(ended) as { received: string }).received)).toEqual(Object.values(calls));
  });

  it('prints a result in each format', async (test) => {
    const { env } = await memberSetup(test, (response) => sendJson(response, { plan: 'gold' }));
    const print = (format: string) => portico(test, `me api GET /me/coverage ${format}`.trim(), { env });
    expect(await print('--output yaml')).toMatchObject({ exitCode: 0, stdout: 'plan: gold\n' });
    expect(await print('--jq .plan')).toMatchObject({ exitCode: 0, stdout: 'gold\n' });
    expect(await print('')).toMatchObject({ exitCode: 0, stdout: '{"plan":"gold"}\n' });
    expect(await print('--output table')).toMatchObject({ exitCode: 0, stdout: '{\n  "plan": "gold"\n}\n' });
  });

  it('prints a response without content as null to a file or pipe', async (test) => {
    const { env } = await memberSetup(test, (response) => response.writeHead(204).end());
    const ended = await portico(test, 'me api PUT /me/consent --input -', { env, input: '{"marketing":true}' });
    expect(ended).toMatchObject({ exitCode: 0, stdout: 'null\n', stderr: '' });
  });

  it('streams a document to stdout, and does not print it as JSON', async (test) => {
    const { env } = await echoing(test);
    const [streamed, json] = await Promise.all([
      // With stdin, the command runs in a process of its own, whose stdout it streams to.
      portico(test, 'me api GET /me/documents/DOC-1', { env, input: '' }),
      portico(test, 'me api GET /me/documents/DOC-1 --json', { env }),
    ]);
    expect(streamed).toMatchObject({ exitCode: 0, stdout: '%PDF-1.7 x', stderr: '' });
    expect(json.exitCode).toBe(2);
    expect(documentIn(json)).toMatchObject({ detail: 'The response is a document, not JSON.' });
  });

  it.for([
    ['GET /me', 'GET /me has the results of several routes.'],
    ['GET /me/plans', 'There is no member route with this path.'],
    ['GET /me/claims?status=paid', 'There is no member route with this path.'],
    ['GET /me/coverage/', 'There is no member route with this path.'],
    ['GET /me/claims/a/../b', 'There is no member route with this path.'],
    ['GET /api/legs', 'There is no member route with this path.'],
    ['DELETE /me/coverage', 'The path has no such method. Methods of this path: GET.'],
    ['GET /me/claims/%2e%2e', 'The locator in the path is not valid.'],
    ['GET /me/claims --query partyLocator=PTY-2', /partyLocator/],
    ['GET /me/claims --query status', 'A query parameter must be name=value.'],
    ['POST /me/claims', 'POST needs a body: --input <file>, or --input -.'],
    ['GET /me/claims --input /dev/null', 'GET takes no body.'],
  ] as const)('exits with 2 and sends nothing: %s', async ([args, detail], test) => {
    const { env, service } = await echoing(test);
    const ended = await portico(test, `me api ${args} --json`, { env });
    expect(ended.exitCode).toBe(2);
    expect(documentIn(ended)).toMatchObject({
      code: 'invalid-request',
      detail: typeof detail === 'string' ? detail : (expect.stringMatching(detail) as string),
    });
    expect(service.received).toEqual([]);
  });

  it('exits with 2 for the route of a service that is not configured, and needs no token', async (test) => {
    const { withoutToken } = await echoing(test);
    const env = { ...withoutToken, CLAIMS_URL: '' };
    const ended = await portico(test, 'me api GET /me/claims/CLM-1', { env });
    expect(ended).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('The claims service is not configured.'),
    });
  });
});

const authorizations = declareService('authorizations', {
  list: { route: 'GET /me/authorizations', path: '/{partyLocator}', query: ['status'] },
  submit: { route: 'POST /me/authorizations', path: '/{partyLocator}' },
});

/** Starts a server with a service of its own on fakes. */
const serveOwn = async ({ onTestFinished }: Test) => {
  const ports = fakePorts();
  const fake = fakeService(authorizations, { 'PTY-1': { '/me/authorizations': { authorizations: ['AUTH-1'] } } });
  const server = createServer(createUseCases({ ...ports, services: [ownService(authorizations, fake)] }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, fake, env: { PORTICO_TOKEN: ports.identity.issue({ sub: 'PTY-1' }) } };
};

/** Starts a service that sends the first part of a document, and calls `then` with its response. */
const partOfDocument = (test: Test, then: (response: ServerResponse) => void = () => {}) =>
  memberSetup(test, (response) => {
    response.setHeader('Content-Type', 'application/pdf').writeHead(200);
    response.write('%PDF-1.7', () => then(response));
  });

describe.concurrent('a document that portico me api requests', () => {
  it.for(['', '--server'])('ends its request when it is refused: %s', async (option, test) => {
    const closed = Promise.withResolvers<void>();
    const { env, service } = await partOfDocument(test, (response) => response.once('close', closed.resolve));
    const server = option === '' ? '' : `--server ${service.url}`;
    const ended = await portico(test, `me api GET /me/documents/DOC-1 --json ${server}`.trim(), { env });
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('The response is a document') });
    await closed.promise;
  });

  it.for(['', '--server'])('exits with 4 when it is interrupted: %s', async (option, test) => {
    const { env, service } = await partOfDocument(test, (response) => response.destroy());
    const server = option === '' ? '' : `--server ${service.url}`;
    const ended = await portico(test, `me api GET /me/documents/DOC-1 ${server}`.trim(), { env, input: '' });
    expect(ended).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('The download was interrupted.') });
  });
});

describe.concurrent('portico me api --server', () => {
  it('calls the routes of a running portico, which need no settings', async (test) => {
    const { url, env } = await serveOwn(test);
    const call = (args: string) => portico(test, `me api ${args} --server ${url} --json`, { env });
    const [listed, submitted, document] = await Promise.all([
      call('GET /me/authorizations --query status=open'),
      call(`POST /me/authorizations --input ${fileWith(test, '{"type":"mri"}')}`),
      call('GET /me/documents/DOC-1'),
    ]);
    expect(documentIn(listed)).toEqual({ authorizations: ['AUTH-1'] });
    expect(documentIn(submitted)).toEqual({ type: 'mri', locator: 'NEW-1' });
    expect(document).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('The response is a document') });
  });

  it('takes a page of a proxy for no response of Portico', async (test) => {
    const { env } = await serveOwn(test);
    const { url } = await webServer(test, (response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>'),
    );

    for (const path of ['/me', '/me/coverage'])
      expect(await portico(test, `me api GET ${path} --server ${url}`, { env })).toMatchObject({
        exitCode: 4,
        stdout: '',
      });
  });

  it('exits with the code of each failure', async (test) => {
    const { url, env, fake } = await serveOwn(test);
    fake.failWith({ kind: 'not-found', service: 'authorizations', code: 'not-found' });
    const call = (args: string, own: Record<string, string> = env) => portico(test, `me api ${args}`, { env: own });
    const [missing, route, method, path, token, unreachable, server] = await Promise.all([
      call(`GET /me/authorizations --server ${url}`),
      call(`GET /me/plans --server ${url}`),
      call(`DELETE /me/authorizations --server ${url}`),
      call(`GET /me/../api/legs --server ${url}`),
      call(`GET /me/authorizations --server ${url}`, { PORTICO_TOKEN: 'a.b.c' }),
      call('GET /me/authorizations --server http://127.0.0.1:1'),
      call('GET /me/authorizations --server portal.example'),
    ]);
    const codes = [missing, route, method, path, token, unreachable, server].map(({ exitCode }) => exitCode);
    expect(codes).toEqual([3, 2, 2, 2, 5, 4, 2]);
    expect(missing.stderr).toContain('authorizations');
    expect(route.stderr).toMatch(/^portico: \S.*\.\n/);
    expect(unreachable.stderr).toContain('Check that a portico is running at the URL given with --server.');
  });
});
