import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { drain } from '../server/draining.ts';
import { openSocket, listening, rawGet, readToEnd, send, servePortal } from '../server/portal.test.support.ts';
import { createServer } from '../server/server.ts';

describe('GET /livez', () => {
  it('returns 200 without a token and without use cases', async () => {
    const port = await listening(createServer({}));
    const { status, json, headers } = await send(port, 'GET', '/livez');
    expect([status, json]).toEqual([200, { status: 'alive' }]);
    expect(headers['cache-control']).toBe('no-store');
    expect((await send(port, 'HEAD', '/livez')).status).toBe(200);
    expect((await send(port, 'POST', '/livez')).status).toBe(405);
  });
});

describe('GET /readyz', () => {
  it('returns 503 with the reasons until the server is ready', async () => {
    const reasons = ['no keys of the identity provider yet'];
    const port = await listening(createServer({}, { notReady: async () => reasons }));
    const { status, json } = await send(port, 'GET', '/readyz');
    expect([status, json]).toEqual([503, { status: 'not-ready', reasons }]);
    reasons.pop();
    expect((await send(port, 'GET', '/readyz')).json).toEqual({ status: 'ready' });
  });

  it('returns 503 during the shutdown delay, while requests are served and their connections closed', async () => {
    const { server, port, token, request } = await servePortal();
    const socket = await openSocket(port);
    const requestText = rawGet('/me/coverage', token);
    socket.write(requestText);
    await once(socket, 'data');
    const drained = drain(server, 1000, 3000);
    const probe = await send(port, 'GET', '/readyz');
    expect([probe.status, probe.json]).toEqual([503, { status: 'not-ready', reasons: ['draining'] }]);
    expect((await send(port, 'GET', '/livez')).status).toBe(200);
    expect((await request('GET', '/me/coverage')).status).toBe(200);
    socket.write(requestText);
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n/);
    await drained;
  });
});
