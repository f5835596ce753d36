import { memoryRateLimiter, type RateLimiter } from '@portico/core';
import { fakeClock, fakeRateLimiter } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { problemIn, routes, send, servePortal } from '../server/portal.test.support.ts';
import { moaId, onSearch, serveSearch } from '../server/search.test.support.ts';

const tooMany = {
  type: 'urn:portico:problem:rate-limited',
  title: 'Too many requests',
  status: 429,
  detail: 'Try again later.',
  code: 'rate-limited',
};

/** Remembers of what kind each refusal was. */
const refusals = () => {
  const refused: string[] = [];
  return { refused, onRateLimited: (kind: string) => void refused.push(kind) };
};

describe('a member who asks too often', () => {
  it('is told when to come back, and nobody else is', async () => {
    const clock = fakeClock();
    const portal = await servePortal({ memberLimiter: fakeRateLimiter({ requests: 2, seconds: 30, clock }) });
    const other = { authorization: `Bearer ${portal.fakes.identity.issue({ sub: 'PTY-9' })}` };
    for (let time = 0; time < 2; time++) expect((await portal.ask('GET', '/me/coverage')).status).toBe(200);
    clock.advance(10_500);
    const answer = await portal.ask('GET', '/me/coverage');
    expect(problemIn(answer)).toEqual(tooMany);
    expect(answer.headers['retry-after']).toBe('20');
    for (let time = 0; time < 2; time++)
      expect((await portal.ask('GET', '/me/coverage', { headers: other })).status).toBe(404);
    expect(problemIn(await portal.ask('GET', '/me/coverage', { headers: other }))).toEqual(tooMany);
    clock.advance(19_500);
    expect((await portal.ask('GET', '/me/coverage')).status).toBe(200);
  });

  it.each(routes)('reaches no downstream: %s %s', async (method, path, _service, _operation, body?: string) => {
    const { refused, onRateLimited } = refusals();
    const portal = await servePortal({ memberLimiter: fakeRateLimiter({ requests: 0 }), onRateLimited });
    const answer = await portal.ask(method, path, body === undefined ? {} : { body });
    expect(problemIn(answer)).toEqual(tooMany);
    expect(answer.headers['retry-after']).toBe('60');
    expect([portal.asked, portal.errors, refused]).toEqual([[], [], ['member']]);
  });

  it('has one share for all routes, whatever the token', async () => {
    const portal = await servePortal({ memberLimiter: fakeRateLimiter({ requests: 2 }) });
    const again = { authorization: `Bearer ${portal.fakes.identity.issue({ sub: 'PTY-1', jti: 'another' })}` };
    expect((await portal.ask('GET', '/me/coverage')).status).toBe(200);
    expect((await portal.ask('GET', '/me/profile', { headers: again })).status).toBe(200);
    expect((await portal.ask('GET', '/me/claims/CLM-1', { headers: again })).status).toBe(429);
  });

  it('is not counted by requests that somebody makes in no name', async () => {
    const limiter = fakeRateLimiter({ requests: 0 });
    const portal = await servePortal({ memberLimiter: limiter });
    for (const authorization of [undefined, 'Bearer not-a-token'])
      expect((await portal.ask('GET', '/me/coverage', { headers: { authorization } })).status).toBe(401);
    expect(limiter.taken).toEqual([]);
  });

  it('is let through again when the time in Retry-After has passed', async () => {
    const clock = fakeClock();
    const portal = await servePortal({ memberLimiter: memoryRateLimiter({ clock, requests: 1, seconds: 1 }) });
    expect((await portal.ask('GET', '/me/coverage')).status).toBe(200);
    const { status, headers } = await portal.ask('GET', '/me/coverage');
    expect([status, headers['retry-after']]).toEqual([429, '1']);
    clock.advance(Number(headers['retry-after']) * 1000);
    expect((await portal.ask('GET', '/me/coverage')).status).toBe(200);
  });
});

describe('a limiter that cannot count', () => {
  it('lets everybody through', async () => {
    const limiter = fakeRateLimiter({ requests: 0 });
    limiter.failWith('the store is gone');
    const portal = await servePortal({ memberLimiter: limiter, addressLimiter: limiter });
    expect((await portal.ask('GET', '/me/coverage')).status).toBe(200);
  });
});

describe('a limiter of somebody else', () => {
  it.each([
    [0, '1'],
    [0.2, '1'],
    [1.5, '2'],
  ])('that says to come back in %f s is put into whole seconds', async (retryAfterSeconds, header) => {
    const memberLimiter: RateLimiter = { take: async () => ({ isAllowed: false, retryAfterSeconds }) };
    const portal = await servePortal({ memberLimiter });
    expect((await portal.ask('GET', '/me/coverage')).headers['retry-after']).toBe(header);
  });
});

describe('an address that asks too often', () => {
  it('is turned away before its token is looked at', async () => {
    const { refused, onRateLimited } = refusals();
    const memberLimiter = fakeRateLimiter();
    const addressLimiter = fakeRateLimiter({ requests: 1 });
    const portal = await servePortal({ addressLimiter, memberLimiter, onRateLimited });
    expect((await portal.ask('GET', '/me/coverage', { headers: { authorization: 'Bearer no' } })).status).toBe(401);
    for (const path of ['/me/coverage', '/me/nothing', '/me']) {
      const answer = await portal.ask('GET', path);
      expect(problemIn(answer)).toEqual(tooMany);
      expect(answer.headers['retry-after']).toBe('60');
    }
    expect([portal.asked, memberLimiter.taken, refused]).toEqual([[], [], Array.from({ length: 3 }, () => 'address')]);
  });

  it('may not search', async () => {
    const host = await serveSearch({ addressLimiter: fakeRateLimiter({ requests: 0 }) });
    const answer = await host.search();
    expect([answer.status, answer.headers['retry-after'], answer.headers['cache-control']]).toEqual([
      429,
      '60',
      'private, no-store',
    ]);
    expect(answer.json).toMatchObject(tooMany);
    expect(host.posts).toEqual([]);
  });

  it.each(['/on_search', '/on_search/', '/on_search?seller=1'])(
    'is sent a NACK when it calls back, at %s',
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

  it.each(['/health', '/api/legs', '/livez', '/readyz'])('may still probe %s', async (path) => {
    const limiter = fakeRateLimiter({ requests: 0 });
    const { port } = await serveSearch({ addressLimiter: limiter });
    expect((await send(port, 'GET', path)).status).toBe(200);
    expect(limiter.taken).toEqual([]);
  });

  it.each(['/', '/menu', '/api/searches', '/on_search/x'])(
    'costs nothing with what we do not serve: %s',
    async (path) => {
      const limiter = fakeRateLimiter({ requests: 0 });
      const { port } = await servePortal({ addressLimiter: limiter });
      expect((await send(port, 'GET', path)).status).toBe(404);
      expect(limiter.taken).toEqual([]);
    },
  );
});

/** Whom a portal counts when requests come to it with these headers, one after the other. */
const asked = async (trustedProxies: readonly string[] | undefined, forwarded: readonly string[]) => {
  const addressLimiter = fakeRateLimiter();
  const portal = await servePortal({ addressLimiter, ...(trustedProxies && { trustedProxies }) });
  for (const address of forwarded) await portal.ask('GET', '/me/coverage', { headers: { 'x-forwarded-for': address } });
  return addressLimiter.taken;
};

describe('an address', () => {
  const forwarded = ['198.51.100.1', '198.51.100.2', '203.0.113.9, 198.51.100.1'];

  it('behind a trusted proxy is told apart by X-Forwarded-For', async () => {
    expect(await asked(['127.0.0.0/8'], forwarded)).toEqual(['198.51.100.1', '198.51.100.2', '198.51.100.1']);
  });

  it('from anybody else is the one it comes from, whatever the header says', async () => {
    const own = forwarded.map(() => '127.0.0.1');
    expect(await asked(undefined, forwarded)).toEqual(own);
    expect(await asked(['10.0.0.0/8'], forwarded)).toEqual(own);
  });

  it('of IPv6 counts together with its /64', async () => {
    const hosts = ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', '2001:db8:0:2::1'];
    expect(await asked(['127.0.0.1'], hosts)).toEqual(['2001:db8:0:1::/64', '2001:db8:0:1::/64', '2001:db8:0:2::/64']);
  });

  it('is counted once where a header comes twice, from its end', async () => {
    const addressLimiter = fakeRateLimiter();
    const portal = await servePortal({ addressLimiter, trustedProxies: ['127.0.0.1'] });
    await portal.ask('GET', '/me/coverage', { headers: { 'x-forwarded-for': ['203.0.113.9', '198.51.100.1'] } });
    expect(addressLimiter.taken).toEqual(['198.51.100.1']);
  });
});
