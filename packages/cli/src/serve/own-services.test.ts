import { Writable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { documentIn, fileWith, portico } from '../program/binary.test.support.ts';
import { bearer, identityProvider, sendJson, webServer } from '../program/outside-world.test.support.ts';
import { settingsOf } from '../settings/settings-file.test.support.ts';
import { jsonLines } from '../telemetry/log.ts';
import { startedServer } from './running-server.test.support.ts';

const test = { onTestFinished };
const path = '/members/{partyLocator}/authorizations';

/** Every private value of a request contains this. */
const canary = 'c4n4ry';
const member = `PTY-${canary}`;
const locator = `AUTH-${canary}`;

/** Starts a service, an identity provider and a server with the service in its settings. */
const served = async (differences: object = {}, memberRequests = 100) => {
  const identity = await identityProvider(test);
  const service = await webServer(test, (response, { url = '' }) => {
    if (url.includes('missing')) response.statusCode = 404;
    if (url.includes('broken')) response.statusCode = 500;
    if (!url.endsWith('/letter')) return sendJson(response, { [canary]: canary });
    return response.setHeader('Content-Type', 'application/pdf').end('%PDF-1.7');
  });
  const schema = fileWith(test, '{"type":"object","description":"What the service returns"}');
  const authorizations = {
    url: `${service.url}/${canary}`,
    breakAfterFailures: 1,
    routes: {
      'GET /me/authorizations': { path, query: ['status'], summary: 'List prior authorizations', schema },
      'GET /me/authorizations/{locator}': { path: `${path}/{locator}` },
      'POST /me/authorizations': { path },
      'GET /me/authorizations/{locator}/letter': { path: `${path}/{locator}/letter`, type: 'application/pdf' },
    },
    ...differences,
  };
  const values = {
    listen: { port: 0 },
    metrics: { port: 0 },
    identity: { issuer: identity.issuer },
    downstreams: { authorizations },
    limits: { memberRequests: { requests: memberRequests, seconds: 60 } },
  };
  const lines: string[] = [];
  const metricsUrl = Promise.withResolvers<string>();
  const keepLines = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk));
      const [, url] = /"url":"(http[^"]+\/metrics)"/.exec(lines.join('')) ?? [];
      if (url !== undefined) metricsUrl.resolve(url);
      done();
    },
  });
  const { settings } = settingsOf({ values });
  const running = await startedServer(test, { settings, log: jsonLines('info', keepLines) });
  const token = identity.token({ sub: member });
  const send = async (target: string, init: RequestInit = {}) => {
    const response = await fetch(running.url + target, { ...bearer(token), ...init });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const metrics = async () => (await fetch(await metricsUrl.promise)).text();
  /** Closes the server, which writes the rest of the log. */
  const wholeLog = async () => {
    await running.close();
    return lines.join('');
  };
  return { running, service, values, token, send, metrics, wholeLog };
};

it('a service of your own is served by its settings as a built-in one is', async () => {
  const { running, service, send, metrics, wholeLog } = await served();
  expect(running.serves).toEqual(['member portal']);

  const listed = await send('/me/authorizations?status=open');
  expect(listed).toMatchObject({ status: 200, text: `{"${canary}":"${canary}"}` });
  expect(listed.headers.get('cache-control')).toBe('private, no-store');
  expect(await send(`/me/authorizations/${locator}/letter`)).toMatchObject({ status: 200, text: '%PDF-1.7' });
  expect(service.received).toEqual([
    `GET /${canary}/members/${member}/authorizations?status=open`,
    `GET /${canary}/members/${member}/authorizations/${locator}/letter`,
  ]);

  expect((await send('/me/authorizations?page=1')).text).toContain('page');
  expect(await send('/me/authorizations', { method: 'PUT' })).toMatchObject({ status: 405 });
  expect((await send('/me/coverage')).text).toContain('no-such-route');
  expect((await send('/readyz')).status).toBe(200);
  const { paths, components } = JSON.parse((await send('/openapi.json')).text) as Record<
    'paths' | 'components',
    object
  >;
  expect(Object.keys(paths)).toContain('/me/authorizations/{locator}/letter');
  expect(JSON.stringify(paths)).toContain('List prior authorizations');
  expect(JSON.stringify(components)).toContain('What the service returns');

  expect(await send('/me/authorizations/broken')).toMatchObject({ status: 502 });
  expect((await send('/me/authorizations')).text).toContain('circuit-open');
  const shown = await metrics();
  expect(shown).toContain('portico_downstream_circuit_state{service="authorizations",state="open"} 1');
  expect(shown).toContain('route="/me/authorizations/:locator/letter"');
  expect(await wholeLog()).toContain('"route":"/me/authorizations/:locator/letter"');
});

it('no private value of a request to a service of your own is in the log, the metrics or an error', async () => {
  const { send, token, metrics, wholeLog } = await served({ breakAfterFailures: 1000 });
  const body = JSON.stringify({ [canary]: canary });
  const post = { method: 'POST', headers: { ...bearer(token).headers, 'content-type': 'application/json' }, body };
  const errors = [
    await send(`/me/authorizations/missing-${canary}?`),
    await send(`/me/authorizations/broken-${canary}`),
    await send(`/me/authorizations/${canary}%20x`),
    await send(`/me/authorizations?partyLocator=${canary}`),
    await send(`/me/authorizations?status=${canary}%ff`),
    await send(`/me/authorizations/${locator}?status=${canary}`),
    await send('/me/authorizations', { ...post, body: `{"${canary}` }),
    await send('/me/authorizations', { ...post, headers: { ...post.headers, 'idempotency-key': `${canary} x` } }),
    await send(`/me/authorizations/${canary}/other`),
  ];
  expect(errors.map(({ status }) => status)).toEqual([404, 502, 400, 400, 400, 400, 400, 400, 404]);
  expect((await send('/me/authorizations', post)).status).toBe(200);
  expect((await send(`/me/authorizations?status=${canary}`)).status).toBe(200);

  const outputs = {
    errors: errors.map(({ text }) => text).join('\n'),
    metrics: await metrics(),
    log: await wholeLog(),
  };
  for (const [name, text] of Object.entries(outputs)) {
    expect([name, text.length > 100]).toEqual([name, true]);
    for (const secret of [canary, token, member.toLowerCase()])
      expect([name, text.includes(secret)]).toEqual([name, false]);
  }
});

it('the rate limit of a member covers a service of your own', async () => {
  const { send } = await served({}, 1);
  expect(await send('/me/authorizations')).toMatchObject({ status: 200 });
  expect(await send('/me/authorizations')).toMatchObject({ status: 429 });
});

it('the commands call the service directly, and doctor examines it', async () => {
  const { values, token, service } = await served();
  const env = { PORTICO_CONFIG: fileWith(test, JSON.stringify(values)), PORTICO_TOKEN: token };
  const listed = await portico(test, 'me api GET /me/authorizations --query status=open --json', { env });
  expect(documentIn(listed)).toEqual({ [canary]: canary });
  expect(service.received).toEqual([`GET /${canary}/members/${member}/authorizations?status=open`]);
  const refused = await portico(test, 'me api GET /me/authorizations --query page=1', { env });
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('page') });
  const missing = await portico(test, 'me api GET /me/authorizations/missing', { env });
  expect(missing).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('authorizations') });
  expect((await portico(test, 'doctor', { env })).stdout).toMatch(/authorizations service/);
});
