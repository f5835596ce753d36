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

/** Words that stand for what is private, each in its place. What must not tell any of them tells none that begins so. */
const canary = (place: string) => `canary-${place}`;

/** The name of a parameter or field that there is not: its sender is told it (contract, section 2), and nobody else. */
const misnamed = 'unheard-of';

/** A service whose every answer holds a canary, and whose address does; it behaves as its caller's path or the fault says. */
let fault: 'none' | 'error' | 'html' | 'reset' | 'not-found' | 'silent' = 'none';
const service = createServer((request: IncomingMessage, response: ServerResponse) => {
  request.resume();
  const body = JSON.stringify({ locator: canary('locator'), value: canary('answer') });
  const json = { 'content-type': 'application/json', 'x-canary': canary('answer-header') };
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
/** Bodies and headers of answers that are not the downstream's own. */
const refusals: string[] = [];
let seen = 0;

beforeAll(async () => {
  await once(service.listen(0, '127.0.0.1'), 'listening');
  metricsPort = await reservePort();
  const { port } = service.address() as AddressInfo;
  const downstream = { url: `http://127.0.0.1:${port}/${canary('path')}`, timeoutMs: 2000, breakAfterFailures: 1000 };
  environment = await startEnvironment({
    settings: ({ services }) => ({
      downstreams: Object.fromEntries(Object.keys(services).map((name) => [name, downstream])),
      metrics: { port: metricsPort },
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

const ask = async (path: string, init: RequestInit = {}): Promise<void> => {
  const headers = {
    authorization: `Bearer ${token}`,
    'x-request-id': canary('request-id'),
    'x-party-locator': canary('header'),
    cookie: `session=${canary('cookie')}`,
    'user-agent': canary('agent'),
    ...(init.headers as Record<string, string>),
  };
  const answer = await fetch(environment.portico.url + path, { ...init, headers }).catch(() => undefined);
  if (!answer) return;
  const text = await answer.text();
  if (answer.ok && text.includes(canary('answer'))) seen++;
  if (!answer.ok) refusals.push(`${JSON.stringify([...answer.headers])} ${text}`);
};

const json = (method: string, body: unknown): RequestInit => ({
  method,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

/** Everything that can be asked, in good and in bad ways, with canaries wherever there is room for one. */
const fullRun = async () => {
  for (fault of ['none', 'error', 'html', 'reset', 'not-found', 'silent'] as const)
    await Promise.all(memberRoutes.map((route) => ask(route.path, requestOf(route))));
  fault = 'none';
  await ask(`/me/claims?status=${canary('query')}`);
  await ask(`/me/claims?${misnamed}=${canary('query')}`);
  await ask(`/me/claims/${canary('claim')}%2f..`);
  await ask(`/me/${canary('route')}`);
  await ask(`/${canary('nowhere')}?x=${canary('query')}`);
  await ask('/me/coverage', { headers: { authorization: `Bearer ${canary('token')}.e30.x` } });
  await ask('/me/coverage', { headers: { authorization: `Bearer ${token.slice(0, -4)}AAAA` } });
  await ask('/me/claims', json('POST', { note: canary('body') }));
  await ask('/me/claims', json('POST', `{"note":"${canary('body')}`));
  await ask('/me/preferences', json('PUT', { email: canary('body'), [misnamed]: canary('body') }));
  await ask('/me/profile', json('PATCH', { partyLocator: canary('body') }));
  await ask('/api/search', json('POST', { persona: 'member', query: canary('query'), user_id: canary('user') }));
  await ask('/api/search', json('POST', { persona: canary('persona'), query: 1, user_id: canary('user') }));
  const context = { transaction_id: canary('transaction'), action: 'on_search', bpp_id: canary('seller') };
  await ask('/on_search', json('POST', { context, message: { catalog: canary('catalog') } }));
  await ask('/on_search', json('POST', { context: { ...context, action: canary('action') } }));
  await ask('/on_search', json('POST', `{"context":"${canary('body')}"`));
  const socket = connect(Number(new URL(environment.portico.url).port), '127.0.0.1');
  socket.write(`GET /${canary('target')} HTTP/1.1\r\nX ${canary('name')}: ${canary('value')}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  refusals.push(answer.toString());
  socket.destroy();
};

describe('what operators and callers are told of a full run', () => {
  it('holds nothing private: not the logs, the metrics, the traces, nor any error body', async () => {
    await fullRun();
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(await environment.portico.stop()).toBe(0);
    const log = environment.log();
    const spans = readFileSync(spansFile, 'utf8');

    // The run was one: members were answered, and everything that could be told was.
    expect(seen).toBeGreaterThan(10);
    expect(refusals.length).toBeGreaterThan(70);
    expect(log.split('\n').length).toBeGreaterThan(100);
    expect(metrics).toMatch(/^portico_http_requests_total\{.*route="\/me\/claims\/:locator".*\} \d+$/m);
    expect(spans).toContain('"name":"GET /me/claims/:locator"');
    expect(spans).toContain('"name":"GET claims"');

    const { sub = '', partyLocator = sub } = decodeJwt<{ partyLocator?: string }>(token);
    const { port } = service.address() as AddressInfo;
    const [, payload = '', signature = ''] = token.split('.');
    const told = { log, metrics, spans, refusals: refusals.join('\n') };
    for (const [where, text] of Object.entries(told))
      for (const secret of [canary(''), sub, partyLocator, payload, signature, `:${port}`, 'eyJ'])
        expect(text.includes(secret), `${secret} in the ${where}`).toBe(false);
    expect([log, metrics, spans].filter((text) => text.includes(misnamed))).toEqual([]);
  });
});
