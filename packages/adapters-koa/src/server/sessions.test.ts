import { request } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fakeRateLimiter } from '@portico/core/testing';
import type { Middleware } from 'koa';
import { expect, it } from 'vitest';
import { servePortal } from './portal.test.support.ts';

/** A middleware in place of browser sessions, which responds with the body. */
const sessions: Middleware = async (ctx, next) => {
  if (!/^\/session(?:\/|$)/.test(ctx.path)) return next();
  ctx.body = await text(ctx.req);
  return undefined;
};

it('the server lets a client continue that waits before it sends its logout token', async () => {
  const { port } = await servePortal({ middleware: [sessions] });
  const sent = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/session/backchannel-logout',
    headers: { expect: '100-continue', 'content-length': 5 },
  });
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.end('token');
  const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
  expect(await text(response)).toBe('token');
});

it.each(['/session', '/session/login', '/session/other'])(
  'the server limits requests to session routes per client address: %s',
  async (path) => {
    const limiter = fakeRateLimiter({ requests: 0 });
    const portal = await servePortal({ middleware: [sessions], addressLimiter: limiter });
    expect((await portal.request('GET', path)).status).toBe(429);
    expect((await portal.request('GET', '/sessions')).status).toBe(404);
    expect(limiter.taken.length).toBe(1);
  },
);

it('the server does not limit back-channel logouts, which one address sends for all members', async () => {
  const limiter = fakeRateLimiter({ requests: 0 });
  const { port } = await servePortal({ middleware: [sessions], addressLimiter: limiter });
  const url = `http://127.0.0.1:${port}/session/backchannel-logout`;
  expect(await (await fetch(url, { method: 'POST', body: 'token' })).text()).toBe('token');
  expect(limiter.taken).toEqual([]);
});
