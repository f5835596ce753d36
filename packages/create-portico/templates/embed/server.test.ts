import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { it, type TestContext } from 'node:test';
import { createUseCases, upstream } from '@portico/core';
import { fakePorts } from '@portico/core/testing';
import { ourServer } from './server.ts';

/** The server of `npm start`, with fakes in place of the services. */
const startServer = async (test: TestContext) => {
  const ports = fakePorts();
  const server = ourServer(createUseCases(ports)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => server.close());
  const headers = { authorization: `Bearer ${ports.identity.issue({ sub: 'PTY-1' })}`, connection: 'close' };
  const { port } = server.address() as AddressInfo;
  return { ports, get: (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers }) };
};

it('returns the claims of the member in the access token', async (test) => {
  const { get } = await startServer(test);
  const response = await get('/me/claims');
  assert.deepEqual(await response.json(), { claims: [{ locator: 'CLM-1', status: 'paid' }] });
});

it('reports a claims service that does not respond', async (test) => {
  const { ports, get } = await startServer(test);
  ports.claims.failWith(upstream('claims', 'timeout'));
  const response = await get('/me/claims');
  assert.equal(response.status, 502);
});

it('serves a route of its own', async (test) => {
  const { get } = await startServer(test);
  const response = await get('/version');
  assert.deepEqual(await response.json(), { name: '{{name}}' });
});
