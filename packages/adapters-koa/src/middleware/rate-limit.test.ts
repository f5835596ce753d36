import { createServer } from 'node:http';
import { type Allowance, createUseCases, type RateLimiter } from '@portico/core';
import { fakeClock, fakePorts, fakeRateLimiter } from '@portico/core/testing';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import { memberRoutes } from '../mounting/member-routes.ts';
import { listening, problemIn, routes, send, servePortal } from '../server/portal.test.support.ts';
import { moaId, onSearch, serveSearch } from '../server/search.test.support.ts';

const tooMany = {
  type: 'urn:portico:problem:rate-limited',
  title: 'Too many requests',
  status: 429,
  detail: 'Try again later.',
  code: 'rate-limited',
};

/** Records the kind of each refusal. */
const refusals = () => {
  const refused: string[] = [];
  return { refused, onRateLimited: (kind: string) => void refused.push(kind) };
};

describe('rate limit per member', () => {
  it('returns 429 with Retry-After only to the member who exceeds the limit', async () => {
    const clock = fakeClock();
    const portal = await servePortal({ memberLimiter: fakeRateLimiter({ requests: 2, seconds: 30, clock }) });
    const other = { authorization: `Bearer ${portal.fakes.identity.issue({ sub: 'PTY-9' })}` };
    for (let count = 0; count < 2; count++) expect((await portal.request('GET', '/me/coverage')).status).toBe(200);
    clock.advance(10_500);
    const response = await portal.request('GET', '/me/coverage');
    expect(problemIn(response)).toEqual(tooMany);
    expect(response.headers['retry-after']).toBe('20');
    for (let count = 0; count < 2; count++)
      expect((await portal.request('GET', '/me/coverage', { headers: other })).status).toBe(404);
    expect(problemIn(await portal.request('GET', '/me/coverage', { headers: other }))).toEqual(tooMany);
    clock.advance(19_500);
    expect((await portal.request('GET', '/me/coverage')).status).toBe(200);
  });

  it.each(routes)(
    'calls no service for a rate-limited request: %s %s',
    async (method, path, _service, _operation, body?: string) => {
      const { refused, onRateLimited } = refusals();
      const portal = await servePortal({ memberLimiter: fakeRateLimiter({ requests: 0 }), onRateLimited });
      const response = await portal.request(method, path, body === undefined ? {} : { body });
      expect(problemIn(response)).toEqual(tooMany);
      expect(response.headers['retry-after']).toBe('60');
      expect([portal.calls, portal.errors, refused]).toEqual([[], [], ['member']]);
    },
  );

  it('counts all routes and all tokens of the member together', async () => {
    const portal = await servePortal({ memberLimiter: fakeRateLimiter({ requests: 2 }) });
    const again = { authorization: `Bearer ${portal.fakes.identity.issue({ sub: 'PTY-1', jti: 'another' })}` };
    expect((await portal.request('GET', '/me/coverage')).status).toBe(200);
    expect((await portal.request('GET', '/me/profile', { headers: again })).status).toBe(200);
    expect((await portal.request('GET', '/me/claims/CLM-1', { headers: again })).status).toBe(429);
  });

  it('does not count unauthenticated requests', async () => {
    const limiter = fakeRateLimiter({ requests: 0 });
    const portal = await servePortal({ memberLimiter: limiter });
    for (const authorization of [undefined, 'Bearer not-a-token'])
      expect((await portal.request('GET', '/me/coverage', { headers: { authorization } })).status).toBe(401);
    expect(limiter.taken).toEqual([]);
  });
});

it('a refusal by the rate limiter changes nothing of a response that the app has already sent', async () => {
  const fakes = fakePorts();
  const counted = Promise.withResolvers<Allowance>();
  const memberLimiter: RateLimiter = { take: () => counted.promise };
  const refused = Promise.withResolvers<void>();
  const errors: unknown[] = [];
  const app = new Koa();
  app.on('error', (error) => errors.push(error));
  app.use(async (ctx, next) => {
    const refusal = next();
    ctx.res.setHeader('X-Foreign', 'yes').writeHead(503).end('busy');
    counted.resolve({ isAllowed: false, retryAfterSeconds: 1 });
    await refusal.finally(refused.resolve);
  });
  app.use(memberRoutes(createUseCases(fakes), { memberLimiter }));
  const port = await listening(createServer(app.callback()), { headers: ['x-foreign'], isForeign: () => true });
  const headers = { authorization: `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}` };
  expect(await send(port, 'GET', '/me/coverage', { headers })).toMatchObject({ status: 503, text: 'busy' });
  await refused.promise;
  expect(errors).toEqual([]);
});

describe('failing rate limiter', () => {
  it('accepts every request while the rate limiter fails', async () => {
    const limiter = fakeRateLimiter({ requests: 0 });
    limiter.failWith('the store is gone');
    const portal = await servePortal({ memberLimiter: limiter, addressLimiter: limiter });
    expect((await portal.request('GET', '/me/coverage')).status).toBe(200);
  });
});

describe('custom rate limiter', () => {
  it.each([
    [0, '1'],
    [0.2, '1'],
    [1.5, '2'],
  ])('rounds a retry time of %f s up to whole seconds', async (retryAfterSeconds, header) => {
    const memberLimiter: RateLimiter = { take: async () => ({ isAllowed: false, retryAfterSeconds }) };
    const portal = await servePortal({ memberLimiter });
    expect((await portal.request('GET', '/me/coverage')).headers['retry-after']).toBe(header);
  });
});

describe('rate limit per client address', () => {
  it('applies the limit per client address before the token is verified', async () => {
    const { refused, onRateLimited } = refusals();
    const memberLimiter = fakeRateLimiter();
    const addressLimiter = fakeRateLimiter({ requests: 1 });
    const portal = await servePortal({ addressLimiter, memberLimiter, onRateLimited });
    expect((await portal.request('GET', '/me/coverage', { headers: { authorization: 'Bearer no' } })).status).toBe(401);
    for (const path of ['/me/coverage', '/me/nothing', '/me']) {
      const response = await portal.request('GET', path);
      expect(problemIn(response)).toEqual(tooMany);
      expect(response.headers['retry-after']).toBe('60');
    }
    expect([portal.calls, memberLimiter.taken, refused]).toEqual([[], [], Array.from({ length: 3 }, () => 'address')]);
  });

  it('applies the limit per client address to searches', async () => {
    const host = await serveSearch({ addressLimiter: fakeRateLimiter({ requests: 0 }) });
    const response = await host.search();
    expect([response.status, response.headers['retry-after'], response.headers['cache-control']]).toEqual([
      429,
      '60',
      'private, no-store',
    ]);
    expect(response.json).toMatchObject(tooMany);
    expect(host.posts).toEqual([]);
  });

  it.each(['/on_search', '/on_search/', '/on_search?seller=1'])(
    'refuses callbacks beyond the limit with a NACK at %s',
    async (path) => {
      const host = await serveSearch({ addressLimiter: fakeRateLimiter({ requests: 0 }) });
      const { status, headers, json } = await host.callBack(onSearch(moaId), {}, path);
      expect([status, headers['retry-after'], headers['cache-control']]).toEqual([429, '60', 'private, no-store']);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(json).toEqual({
        message: { ack: { status: 'NACK' } },
        error: { code: 'rate-limited', message: 'Try again later.' },
      });
      expect(await host.counted()).toEqual({ pending: 0 });
    },
  );

  it.each(['/health', '/api/legs', '/livez', '/readyz'])('does not count requests to %s', async (path) => {
    const limiter = fakeRateLimiter({ requests: 0 });
    const { port } = await serveSearch({ addressLimiter: limiter });
    expect((await send(port, 'GET', path)).status).toBe(200);
    expect(limiter.taken).toEqual([]);
  });

  it.each(['/', '/menu', '/api/searches', '/on_search/x'])('does not count paths without a route: %s', async (path) => {
    const limiter = fakeRateLimiter({ requests: 0 });
    const { port } = await servePortal({ addressLimiter: limiter });
    expect((await send(port, 'GET', path)).status).toBe(404);
    expect(limiter.taken).toEqual([]);
  });
});

/** Returns the addresses that a portal counts for requests with these headers. */
const countedAddresses = async (trustedProxies: readonly string[] | undefined, forwarded: readonly string[]) => {
  const addressLimiter = fakeRateLimiter();
  const portal = await servePortal({ addressLimiter, ...(trustedProxies && { trustedProxies }) });
  for (const address of forwarded)
    await portal.request('GET', '/me/coverage', { headers: { 'x-forwarded-for': address } });
  return addressLimiter.taken;
};

describe('counted client address', () => {
  const forwarded = ['198.51.100.1', '198.51.100.2', '203.0.113.9, 198.51.100.1'];

  it('counts addresses from X-Forwarded-For behind a trusted proxy', async () => {
    expect(await countedAddresses(['127.0.0.0/8'], forwarded)).toEqual([
      '198.51.100.1',
      '198.51.100.2',
      '198.51.100.1',
    ]);
  });

  it('counts the address of the socket without a trusted proxy', async () => {
    const expected = forwarded.map(() => '127.0.0.1');
    expect(await countedAddresses(undefined, forwarded)).toEqual(expected);
    expect(await countedAddresses(['10.0.0.0/8'], forwarded)).toEqual(expected);
  });

  it('counts IPv6 addresses by their /64', async () => {
    const hosts = ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', '2001:db8:0:2::1'];
    expect(await countedAddresses(['127.0.0.1'], hosts)).toEqual([
      '2001:db8:0:1::/64',
      '2001:db8:0:1::/64',
      '2001:db8:0:2::/64',
    ]);
  });

  it('counts the last entry once if X-Forwarded-For is sent twice', async () => {
    const addressLimiter = fakeRateLimiter();
    const portal = await servePortal({ addressLimiter, trustedProxies: ['127.0.0.1'] });
    await portal.request('GET', '/me/coverage', { headers: { 'x-forwarded-for': ['203.0.113.9', '198.51.100.1'] } });
    expect(addressLimiter.taken).toEqual(['198.51.100.1']);
  });
});
