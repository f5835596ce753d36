import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reservePort } from '@portico/demo/ports';
import { memberRoutes, requestOf } from '../member/member-routes.ts';
import { startEnvironment, type Environment } from '@portico/demo/environment';

/** Marks private values by where they are. Logs, metrics and traces must not contain any string with this prefix. */
const canary = (place: string) => `canary-${place}`;

/** The name of an unknown parameter or field: reported to its sender only (contract, section 2). */
const misnamed = 'unheard-of';

/** A service with canaries in its responses and its URL. The path or the fault determines the response. */
let fault: 'none' | 'error' | 'html' | 'reset' | 'not-found' | 'silent' = 'none';
const service = createServer((request: IncomingMessage, response: ServerResponse) => {
  request.resume();
  const body = JSON.stringify({ locator: canary('locator'), value: canary('response') });
  const json = { 'content-type': 'application/json', 'x-canary': canary('response-header') };
  if (fault === 'silent') return;
  if (fault === 'reset') return void response.destroy();
  if (fault === 'error') return void response.writeHead(500, json).end(body);
  if (fault === 'not-found') return void response.writeHead(404, json).end(body);
  if (fault === 'html')
    return void response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${canary('page')}`);
  if (request.url?.includes('/documents/'))
    return void response.writeHead(200, { 'content-type': 'application/pdf' }).end(`%PDF ${canary('pdf')}`);
  response.writeHead(200, json).end(body);
});

const folder = mkdtempSync(join(tmpdir(), 'portico-privacy-'));
const spansFile = join(folder, 'spans.jsonl');
let environment: Environment;
let token: string;
let metricsPort: number;
/** Bodies and headers of Portico's error responses. */
const refusals: string[] = [];
let relayed = 0;

beforeAll(async () => {
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const { port } = service.address() as AddressInfo;
  const downstream = { url: `http://127.0.0.1:${port}/${canary('path')}`, timeoutMs: 5000, breakAfterFailures: 1000 };
  environment = await startEnvironment({
    settings: async ({ services, identity }) => ({
      listen: { publicUrl: `https://${canary('public')}.example` },
      identity: { issuer: identity.issuer, dpop: 'accept' },
      downstreams: Object.fromEntries(Object.keys(services).map((name) => [name, downstream])),
      metrics: { port: (metricsPort = await reservePort()) },
      search: { timeoutMs: 2000 },
    }),
    env: {
      NODE_OPTIONS: `--import ${new URL('recorded-spans.ts', import.meta.url).href}`,
      SPANS_FILE: spansFile,
    },
  });
  token = await environment.sandbox.token('member-a');
});
afterAll(async () => {
  await environment.close();
  service.closeAllConnections();
  service.close();
  rmSync(folder, { recursive: true });
});

const call = async (path: string, init: RequestInit = {}): Promise<void> => {
  const headers = {
    authorization: `Bearer ${token}`,
    'x-request-id': canary('request-id'),
    'x-party-locator': canary('header'),
    cookie: `session=${canary('cookie')}`,
    'user-agent': canary('agent'),
    ...(init.headers as Record<string, string>),
  };
  const response = await fetch(environment.portico.url + path, { ...init, headers }).catch(() => undefined);
  if (!response) return;
  const text = await response.text();
  if (response.ok && text.includes(canary('response'))) relayed++;
  if (!response.ok) refusals.push(`${JSON.stringify([...response.headers])} ${text}`);
};

const json = (method: string, body: unknown): RequestInit => ({
  method,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

/** Sends valid and invalid requests to all routes, with canaries wherever possible. */
const fullRun = async () => {
  for (fault of ['none', 'error', 'html', 'reset', 'not-found', 'silent'] as const)
    await Promise.all(memberRoutes.map((route) => call(route.path, requestOf(route))));
  fault = 'none';
  await call(`/me/claims?status=${canary('query')}`);
  await call(`/me/claims?${misnamed}=${canary('query')}`);
  await call(`/me/claims/${canary('claim')}%2f..`);
  await call(`/me/${canary('route')}`);
  await call(`/${canary('nowhere')}?x=${canary('query')}`);
  await call('/me/coverage', { headers: { authorization: `Bearer ${canary('token')}.e30.x` } });
  await call('/me/coverage', { headers: { authorization: `Bearer ${token.slice(0, -4)}AAAA` } });
  const dpop = `${canary('proof')}.${Buffer.from(canary('claims')).toString('base64url')}.AAAA`;
  for (const scheme of ['DPoP', 'Bearer'])
    await call(`/me/claims?status=${canary('query')}`, { headers: { authorization: `${scheme} ${token}`, dpop } });
  await call('/me/claims', json('POST', { note: canary('body') }));
  await call('/me/claims', json('POST', `{"note":"${canary('body')}`));
  await call('/me/preferences', json('PUT', { email: canary('body'), [misnamed]: canary('body') }));
  await call('/me/profile', json('PATCH', { partyLocator: canary('body') }));
  await call('/api/search', json('POST', { persona: 'member', query: canary('query'), user_id: canary('user') }));
  await call('/api/search', json('POST', { persona: canary('persona'), query: 1, user_id: canary('user') }));
  const context = { transaction_id: canary('transaction'), action: 'on_search', bpp_id: canary('seller') };
  await call('/on_search', json('POST', { context, message: { catalog: canary('catalog') } }));
  await call('/on_search', json('POST', { context: { ...context, action: canary('action') } }));
  await call('/on_search', json('POST', `{"context":"${canary('body')}"`));
  const socket = connect(Number(new URL(environment.portico.url).port), '127.0.0.1');
  socket.write(`GET /${canary('target')} HTTP/1.1\r\nX ${canary('name')}: ${canary('value')}\r\n\r\n`);
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  refusals.push(bytes.toString());
  socket.destroy();
};

describe('logs, metrics, traces and error responses', () => {
  it('contain no private data after requests to all routes', async () => {
    await fullRun();
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(await environment.portico.stop()).toBe(0);
    const log = environment.log();
    const spans = readFileSync(spansFile, 'utf8');

    // Checks that the run was complete: responses were relayed, and everything was recorded.
    expect(relayed).toBeGreaterThan(10);
    expect(refusals.length).toBeGreaterThan(70);
    expect(refusals.filter((refusal) => refusal.includes('DPoP realm=')).length).toBeGreaterThan(1);
    expect(log.split('\n').length).toBeGreaterThan(100);
    expect(metrics).toMatch(/^portico_http_requests_total\{.*route="\/me\/claims\/:locator".*\} \d+$/m);
    expect(spans).toContain('"name":"GET /me/claims/:locator"');
    expect(spans).toContain('"name":"GET claims"');

    const { sub = '', partyLocator = sub } = decodeJwt<{ partyLocator?: string }>(token);
    const { port } = service.address() as AddressInfo;
    const [, payload = '', signature = ''] = token.split('.');
    const outputs = { log, metrics, spans, refusals: refusals.join('\n') };
    for (const [where, text] of Object.entries(outputs))
      for (const secret of [canary(''), sub, partyLocator, payload, signature, `:${port}`, 'eyJ'])
        expect(text.includes(secret), `${secret} in the ${where}`).toBe(false);
    expect([log, metrics, spans].filter((text) => text.includes(misnamed))).toEqual([]);
  });
});
