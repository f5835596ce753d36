import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type Sandbox, startSandbox } from '@portico/sandbox';
import { afterAll, beforeAll, expect, it } from 'vitest';

let sandbox: Sandbox;
let service: ChildProcess;
let url: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  const env = { ISSUER: sandbox.identity.issuer, CLAIMS_URL: sandbox.services.claims.url, PORT: '0' };
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  service = spawn(process.execPath, ['--conditions=@portico/source', main], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(service.stdout!.setEncoding('utf8'), 'data')) as [string];
  url = line.trim();
});

afterAll(async () => {
  service.kill('SIGTERM');
  expect(await once(service, 'exit')).toEqual([0, null]);
  await sandbox.close();
});

const get = (path: string, token: string) =>
  fetch(url + path, { headers: { authorization: `Bearer ${token}`, connection: 'close' } });

it('the example service lists the claims of the authenticated member, and returns one', async () => {
  const token = await sandbox.token('member-a');
  const { claims } = (await (await get('?status=paid', token)).json()) as { claims: { locator: string }[] };
  expect(claims.length).toBeGreaterThan(0);
  expect(await (await get(`/${claims[0]!.locator}`, token)).json()).toMatchObject({ status: 'paid' });
});

it('the example service keeps running after a request with an invalid target', async () => {
  const { port } = new URL(url);
  const headers = { authorization: `Bearer ${await sandbox.token('member-a')}` };
  const [response] = (await once(request({ host: '127.0.0.1', port, path: '//', headers }).end(), 'response')) as [
    IncomingMessage,
  ];
  expect(response.resume().statusCode).toBe(400);
});

const status = async (path: string, authorization: string, method = 'GET') =>
  (await fetch(new URL(path, url), { method, headers: { authorization, connection: 'close' } })).status;

it('the example service serves only GET, only its own paths, and only bearer tokens', async () => {
  const token = await sandbox.token('member-a');
  expect(await status('/claims', `Bearer ${token}`, 'POST')).toBe(405);
  expect(await status('/documents', `Bearer ${token}`)).toBe(404);
  expect(await status('/claims', token)).toBe(401);
  expect(await status('/claims', `bearer ${token}`)).toBe(200);
});

it.each([
  ['an invalid token', '', 'forged', 401, 'unauthenticated'],
  ["another member's claim", '/CLM-1001-01', 'member-b', 404, 'not-found'],
  ['an unknown query parameter', '?partyLocator=PTY-1', 'member-a', 400, 'invalid-request'],
])('the example service returns problem details for %s', async (_, path, who, status, code) => {
  const response = await get(path, who === 'forged' ? who : await sandbox.token(who));
  expect([response.status, await response.json()]).toMatchObject([status, { code }]);
});
