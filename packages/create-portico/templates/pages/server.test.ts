import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { it, type TestContext } from 'node:test';
import { createUseCases } from '@portico/core';
import { fakePorts } from '@portico/core/testing';
import { ourServer } from './server.ts';

const issuer = 'https://identity.example';
const endpoints = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
};

/** The server of `npm start`, with fakes in place of the services, and an identity provider that can be discovered. */
const startServer = async (test: TestContext) => {
  const ports = fakePorts();
  const server = ourServer(createUseCases(ports), {
    issuer,
    client: { id: 'portal', secret: 'secret' },
    publicUrl: 'http://localhost:8080',
    keys: [randomBytes(32)],
    fetch: async () => Response.json(endpoints),
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const get = (path: string, headers = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', headers: { connection: 'close', ...headers } });
  return { ports, get };
};

it('serves the page and its script', async (test) => {
  const { get } = await startServer(test);
  assert.match(await (await get('/')).text(), /<script type="module" src="\/page\.js">/);
  assert.equal((await get('/page.js')).status, 200);
});

it('starts the sign-in at the identity provider', async (test) => {
  const { get } = await startServer(test);
  const { status, headers } = await get('/session/login');
  assert.equal(status, 303);
  assert.ok(headers.get('location')?.startsWith(`${issuer}/authorize?`));
});

it('returns nothing about a member without a session', async (test) => {
  const { get } = await startServer(test);
  assert.deepEqual(await (await get('/session')).json(), { authenticated: false });
  assert.equal((await get('/me/coverage')).status, 401);
});

it('returns the coverage of the member in the access token', async (test) => {
  const { ports, get } = await startServer(test);
  const authorization = `Bearer ${ports.identity.issue({ sub: 'PTY-1' })}`;
  assert.deepEqual(await (await get('/me/coverage', { authorization })).json(), { plan: 'gold' });
});
