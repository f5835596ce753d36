import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { drain } from '../server/draining.ts';
import { dial, listening, restOf, send, servePortal } from '../server/portal.test.support.ts';
import { createServer } from '../server/server.ts';

describe('/livez', () => {
  it('answers while the process can, whatever it serves, and takes no token', async () => {
    const port = await listening(createServer({}));
    const { status, json, headers } = await send(port, 'GET', '/livez');
    expect([status, json]).toEqual([200, { status: 'alive' }]);
    expect(headers['cache-control']).toBe('no-store');
    expect((await send(port, 'HEAD', '/livez')).status).toBe(200);
    expect((await send(port, 'POST', '/livez')).status).toBe(405);
  });
});

describe('/readyz', () => {
  it('says whether requests should be sent here, and why not', async () => {
    const reasons = ['the identity provider gave no keys yet'];
    const port = await listening(createServer({}, { notReady: async () => reasons }));
    const { status, json } = await send(port, 'GET', '/readyz');
    expect([status, json]).toEqual([503, { status: 'not-ready', reasons }]);
    reasons.pop();
    expect((await send(port, 'GET', '/readyz')).json).toEqual({ status: 'ready' });
  });

  it('says no before a server ends, while it still serves and closes each connection behind its answer', async () => {
    const { server, port, token, ask } = await servePortal();
    const kept = await dial(port);
    const request = `GET /me/coverage HTTP/1.1\r\nHost: portal\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    kept.write(request);
    await once(kept, 'data');
    const drained = drain(server, 1000, 300);
    const probe = await send(port, 'GET', '/readyz');
    expect([probe.status, probe.json]).toEqual([503, { status: 'not-ready', reasons: ['draining'] }]);
    expect((await send(port, 'GET', '/livez')).status).toBe(200);
    expect((await ask('GET', '/me/coverage')).status).toBe(200);
    kept.write(request);
    expect(await restOf(kept)).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n/);
    await drained;
  });
});
