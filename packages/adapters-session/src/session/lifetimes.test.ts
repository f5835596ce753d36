import { fakeClock } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { places, portal, signedIn } from '../portal.test.support.ts';

describe.each(places)('a session kept %s', (_, options) => {
  it('ends without activity, and lasts with it', async () => {
    const { send, cookies, clock, names } = await signedIn(options());
    for (let minutes = 0; minutes < 60; minutes += 20) {
      clock.advance(20 * 60_000);
      expect((await send('/me/coverage')).status).toBe(200);
    }
    clock.advance(30 * 60_000);
    expect((await send('/me/coverage')).status).toBe(401);
    expect(cookies.size).toBe(0);
    expect(names().at(-1)).toMatch(/^(expired|cookie-refused)$/);
  });

  it('is not extended by the request for its status', async () => {
    const { send, clock } = await signedIn(options());
    for (let minutes = 0; minutes < 30; minutes += 10) {
      expect((await send('/session')).json['expires_at']).toBe('2026-01-01T00:30:00.000Z');
      clock.advance(10 * 60_000);
    }
    expect((await send('/session')).json).toEqual({ authenticated: false });
  });

  it('ends at its absolute end, whatever its activity', async () => {
    const { send, clock, events } = await signedIn({ ...options(), absoluteSeconds: 3600 });
    for (let minutes = 0; minutes < 50; minutes += 10) {
      clock.advance(10 * 60_000);
      expect((await send('/me/coverage')).status).toBe(200);
    }
    expect((await send('/session')).json['expires_at']).toBe('2026-01-01T01:00:00.000Z');
    clock.advance(10 * 60_000 - 1000);
    expect((await send('/me/coverage')).status).toBe(200);
    clock.advance(1000);
    expect((await send('/me/coverage')).status).toBe(401);
    expect(events.every(({ name }) => name !== 'refresh-refused')).toBe(true);
  });

  it('a session without a refresh token ends with its access token', async () => {
    const { send, cookies, clock } = await signedIn(options(), { refreshTokens: false });
    expect((await send('/session')).json['expires_at']).toBe('2026-01-01T00:05:00.000Z');
    clock.advance(299_000);
    expect((await send('/me/coverage')).status).toBe(200);
    clock.advance(1000);
    expect((await send('/me/coverage')).status).toBe(401);
    expect(cookies.size).toBe(0);
  });

  it('lasts while it is used when the idle time is shorter than the access token', async () => {
    const { send, clock } = await signedIn({ ...options(), idleSeconds: 60 }, { accessTokenSeconds: 100 });
    for (let seconds = 0; seconds < 600; seconds += 20) {
      clock.advance(20_000);
      expect((await send('/me/coverage')).status).toBe(200);
    }
  });

  it('lasts while it is used when the provider cannot refresh it for longer than the idle time', async () => {
    const { send, clock, provider } = await signedIn(options());
    provider.behaviour.fault = (path) => (path === '/token' ? new Response('', { status: 503 }) : undefined);
    const statuses = new Set<number>();
    for (let minutes = 0; minutes < 40; minutes++) {
      clock.advance(60_000);
      statuses.add((await send('/me/coverage')).status);
    }
    expect([...statuses]).toEqual([200, 502]);
    provider.behaviour.fault = undefined;
    clock.advance(60_000);
    expect((await send('/me/coverage')).status).toBe(200);
  });

  it('ends without activity while the provider cannot refresh it', async () => {
    const { send, clock, provider } = await signedIn(options());
    provider.behaviour.fault = (path) => (path === '/token' ? new Response('', { status: 503 }) : undefined);
    clock.advance(20 * 60_000);
    expect((await send('/me/coverage')).status).toBe(502);
    clock.advance(30 * 60_000);
    expect((await send('/me/coverage')).status).toBe(401);
  });

  it('ends when the settings allow shorter sessions now', async () => {
    const kept = options();
    const { cookies, clock, provider } = await signedIn(kept);
    clock.advance(600_000);
    const now = await portal({ ...kept, clock, provider, absoluteSeconds: 600 });
    expect((await now.browser(cookies).send('/me/coverage')).status).toBe(401);
    expect(now.events).toEqual([{ name: 'expired', reason: 'absolute' }]);
  });

  it('does not end when the clock is set back by less than its longest time', async () => {
    const clock = fakeClock();
    let setBackMs = 0;
    const wallClock = { ...clock, now: () => clock.now() - setBackMs };
    const { send } = await signedIn({ ...options(), clock: wallClock });
    setBackMs = 600_000;
    expect((await send('/me/coverage')).status).toBe(200);
    setBackMs = 43_200_000;
    expect((await send('/me/coverage')).status).toBe(401);
  });

  it('reads the lifetime of an access token whose response does not show it', async () => {
    const { browser, clock, provider } = await portal(options());
    const payload = Buffer.from(JSON.stringify({ exp: 1_767_225_600 + 100 })).toString('base64url');
    for (const [token, seconds] of [
      [`e30.${payload}.e30`, 100],
      ['opaque', 300],
    ] as const) {
      provider.behaviour.refreshTokens = false;
      provider.behaviour.tokens = { expires_in: undefined, access_token: token };
      const { send, signIn } = browser();
      await signIn();
      const expires = new Date(clock.now() + seconds * 1000).toISOString();
      expect((await send('/session')).json['expires_at']).toBe(expires);
    }
  });
});

describe('the cookie of a session', () => {
  it('does not end the session when an old copy is sent', async () => {
    const { browser, send, cookies, clock } = await signedIn();
    const copy = browser(cookies);
    for (let minutes = 0; minutes < 40; minutes += 4) {
      clock.advance(4 * 60_000);
      expect((await send('/me/coverage')).status).toBe(200);
    }
    expect((await copy.send('/me/coverage')).status).toBe(401);
    expect((await send('/me/coverage')).status).toBe(200);
  });

  it('is renewed about once in a minute, but not shortly before a refresh', async () => {
    const { send, cookies, clock } = await signedIn();
    const changes: number[] = [];
    for (let seconds = 10; seconds <= 260; seconds += 10) {
      clock.advance(10_000);
      const before = cookies.get('__Host-portico');
      await send('/me/coverage');
      if (cookies.get('__Host-portico') !== before) changes.push(seconds);
    }
    expect(changes).toEqual([60, 120, 180]);
  });
});

it('a session in the cookie stays as another instance refreshed it when this one cannot, unless it would end soon', async () => {
  const { send, cookies, clock, provider } = await signedIn();
  const cookieNow = () => [...cookies.values()].join();
  const before = cookieNow();
  provider.behaviour.fault = (path) => (path === '/token' ? new Response('', { status: 503 }) : undefined);
  clock.advance(20 * 60_000);
  expect((await send('/me/coverage')).status).toBe(502);
  expect(cookieNow()).toBe(before);
  clock.advance(5 * 60_000);
  expect((await send('/me/coverage')).status).toBe(502);
  expect(cookieNow()).not.toBe(before);
});
