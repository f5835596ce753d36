import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { maxReplaySeconds, upstream } from '@portico/core';
import { fakeClock, fakeReplayGuard, fakeSessionStore } from '@portico/core/testing';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import type { Claims } from '../provider/provider.test.support.ts';
import { type Portal, portal, signedIn, someKey } from '../portal.test.support.ts';

const now = 1_767_225_600;

const setUp = async (options: Parameters<typeof portal>[0] = {}) => {
  const clock = fakeClock();
  const store = fakeSessionStore(clock);
  const one = await signedIn({ clock, store, ...options });
  const sid = decodeJwt(one.provider.issued[2]!)['sid'] as string;
  return { ...one, store, sid };
};

const post = (url: string, body: string, type = 'application/x-www-form-urlencoded') =>
  fetch(`${url}/session/backchannel-logout`, { method: 'POST', headers: { 'content-type': type }, body });

const logOut = async ({ url, provider }: Portal, claims: Claims, header?: Claims) =>
  post(url, `logout_token=${await provider.logoutToken(claims, header)}`);

/** Signs in, and runs this while the identity provider redeems the code. Returns the response of the callback. */
const signInWhile = async ({ provider, browser }: Portal, run: () => Promise<unknown>) => {
  provider.behaviour.idToken = { sid: 'sid-of-this-sign-in' };
  provider.behaviour.hold = async (path) => {
    if (path !== '/token') return;
    provider.behaviour.hold = undefined;
    await run();
  };
  const member = browser();
  const { headers } = await member.signIn();
  return { location: headers.get('location'), cookies: member.cookies.size };
};

describe('a logout token', () => {
  it('ends the session of one sign-in, without a cookie or a header of a page', async () => {
    const one = await setUp();
    const other = one.browser();
    await other.signIn();
    const response = await logOut(one, { sid: one.sid, sub: 'member-1' });
    expect([response.status, response.headers.get('cache-control'), await response.text()]).toEqual([
      200,
      'private, no-store',
      '',
    ]);
    expect((await one.own.send('/me/coverage')).status).toBe(401);
    expect((await other.send('/me/coverage')).status).toBe(200);
    expect(one.events.at(2)).toEqual({ name: 'back-channel-logout', sessions: 1 });
  });

  it('that is too large does not keep the next request on its connection waiting', async ({ onTestFinished }) => {
    const { url } = await setUp();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const length = 1_000_000;
    const fields = ['Host: a', 'Content-Type: application/x-www-form-urlencoded', `Content-Length: ${length}`];
    socket.write(['POST /session/backchannel-logout HTTP/1.1', ...fields, '', ''].join('\r\n'));
    socket.write('a'.repeat(length));
    socket.write('GET /session HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect((await text(socket)).match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['400', '200']);
  });

  it('ends a session although the issuer is written with a slash in the settings only', async () => {
    const one = await setUp({ issuer: 'https://id.example/' });
    expect((await logOut(one, { sid: one.sid })).status).toBe(200);
    expect(one.store.sessions).toEqual([]);
  });

  it('ends a session while the keys of the provider cannot be downloaded, for 24 hours after the last download', async () => {
    const one = await setUp();
    one.provider.behaviour.fault = (path) => (path === '/jwks' ? new Response('', { status: 503 }) : undefined);
    expect((await logOut(one, { sid: one.sid })).status).toBe(200);
    expect(one.store.sessions).toEqual([]);
    one.clock.advance(24 * 3_600_000);
    expect((await logOut(one, { sid: 'sid-of-another-sign-in' })).status).toBe(200);
    one.clock.advance(1);
    expect((await logOut(one, { sid: 'sid-of-a-third-sign-in' })).status).toBe(400);
  });

  it('a logout token with a member ends all their sessions', async () => {
    const one = await setUp();
    const other = one.browser();
    await other.signIn();
    expect((await logOut(one, { sub: 'another' })).status).toBe(200);
    expect(one.store.sessions.length).toBe(2);
    expect((await logOut(one, { sub: 'member-1' })).status).toBe(200);
    expect(one.store.sessions).toEqual([]);
  });

  describe('that arrives during a sign-in', () => {
    it.each<[string, Claims]>([
      ['its sign-in', { sid: 'sid-of-this-sign-in' }],
      ['its member', { sub: 'member-1' }],
    ])('ends it, also on another instance, when it names %s', async (_, claims) => {
      const one = await setUp();
      const { clock, store, provider } = one;
      const two = await portal({ clock, store, provider });
      const { sessions } = store;
      const failed = await signInWhile(two, async () => {
        clock.advance(500);
        expect((await logOut(one, claims)).status).toBe(200);
      });
      expect(failed).toEqual({ location: 'https://portal.example/?session_error=denied', cookies: 0 });
      expect(two.events).toEqual([{ name: 'sign-in-failed', reason: 'denied', detail: 'ended' }]);
      expect(store.sessions).toEqual('sub' in claims ? [] : sessions);
    });

    it('does not end the sign-in of another member, or the next one of the same member', async () => {
      const one = await setUp();
      const other = await signInWhile(one, () => logOut(one, { sub: 'member-2' }));
      expect(other.location).toBe('https://portal.example/claims');
      expect((await logOut(one, { sub: 'member-1' })).status).toBe(200);
      one.clock.advance(2001);
      expect((await one.browser().signIn()).headers.get('location')).toBe('https://portal.example/claims');
    });

    it('ends the sign-in also while the store is slow, and a creation that takes too long gives no cookie', async () => {
      const one = await setUp();
      const { clock, store } = one;
      const { create } = store;
      const member = one.browser();
      for (const [ms, error] of [
        [1900, 'denied'],
        [2100, 'unavailable'],
      ] as const) {
        const slow: typeof create = (...args) => {
          clock.advance(1);
          return store.removeLabelled(args[1].labels[0]!).andThen(() => {
            clock.advance(ms - 1);
            return create(...args);
          });
        };
        Object.assign(store, { create: slow });
        const { headers } = await member.signIn();
        expect(headers.get('location')).toBe(`https://portal.example/?session_error=${error}`);
        expect([member.cookies.size, store.sessions.length]).toEqual([0, 0]);
      }
    });
  });

  const refused: readonly (readonly [string, Claims, Claims])[] = [
    ['is of another issuer', { iss: 'https://evil.example' }, {}],
    ['is for another client', { aud: 'another' }, {}],
    ['has no audience', { aud: undefined }, {}],
    ['has expired', { exp: now - 6 }, {}],
    ['does not expire', { exp: undefined }, {}],
    ['has no time of issue', { iat: undefined }, {}],
    ['is older than two minutes', { iat: now - 121, exp: now + 300 }, {}],
    ['is of the future', { iat: now + 6 }, {}],
    ['has no id', { jti: undefined }, {}],
    ['has an id that is no string', { jti: 1 }, {}],
    ['has a nonce', { nonce: 'a' }, {}],
    ['has no events', { events: undefined }, {}],
    ['has another event', { events: { 'http://schemas.openid.net/event/another': {} } }, {}],
    ['has an event that is no object', { events: { 'http://schemas.openid.net/event/backchannel-logout': true } }, {}],
    ['names neither a sign-in nor a member', { sid: undefined }, {}],
    ['has a sign-in that is no string', { sid: 1, sub: 'member-1' }, {}],
    ['is an access token', {}, { typ: 'at+jwt' }],
    ['is of an unknown key', {}, { kid: 'two' }],
  ];

  it.each(refused)('is refused when it %s', async (_, claims, header) => {
    const one = await setUp();
    const token = await one.provider.logoutToken({ sid: one.sid, ...claims }, header);
    const response = await post(one.url, `logout_token=${token}`);
    expect([response.status, response.headers.get('cache-control'), await response.text()]).toEqual([
      400,
      'private, no-store',
      '{"error":"invalid_request"}',
    ]);
    expect(one.store.sessions.length).toBe(1);
    expect(one.names()).toEqual(['sign-in', 'back-channel-logout-refused']);
  });

  it('is refused when it is not signed', async () => {
    const one = await setUp();
    const [, payload = ''] = (await one.provider.logoutToken({ sid: one.sid })).split('.');
    const header = Buffer.from('{"alg":"none","typ":"logout+jwt"}').toString('base64url');
    expect((await post(one.url, `logout_token=${header}.${payload}.`)).status).toBe(400);
    expect(one.store.sessions.length).toBe(1);
  });

  it('a logout token with an unknown key does not delay the download of new keys for sign-ins', async () => {
    const clock = fakeClock();
    const one = await portal({ clock, store: fakeSessionStore(clock) });
    const { provider, browser } = one;
    expect((await logOut(one, { sub: 'member-1' }, { kid: 'unknown' })).status).toBe(400);
    Object.assign(provider.behaviour, { keyId: 'two', publishedKeyId: 'two' });
    expect((await browser().signIn()).headers.get('location')).toBe('https://portal.example/claims');
  });

  it('is refused when its signature is not valid', async () => {
    const one = await setUp();
    one.provider.behaviour.signsWithOtherKey = true;
    expect((await logOut(one, { sid: one.sid })).status).toBe(400);
    expect(one.store.sessions.length).toBe(1);
  });

  it('is accepted without a type, and with those of the specifications', async () => {
    for (const typ of [undefined, 'JWT', 'logout+jwt', 'application/logout+jwt']) {
      const one = await setUp();
      expect((await logOut(one, { sid: one.sid }, { typ })).status).toBe(200);
    }
  });

  it('is accepted once, for as long as it is valid', async () => {
    const one = await setUp();
    const body = `logout_token=${await one.provider.logoutToken({ sub: 'member-1', exp: now + 3600 })}`;
    expect((await post(one.url, body)).status).toBe(200);
    one.clock.advance(10_000);
    await one.own.signIn();
    for (let seconds = 0; seconds < 170; seconds += 10) {
      expect((await post(one.url, body)).status).toBe(400);
      one.clock.advance(10_000);
    }
    expect(one.store.sessions.length).toBe(1);
  });

  it.each([0, 5, 20, 60, 300])(
    'is accepted for less time than its use is remembered, with a tolerance of %i seconds',
    async (clockToleranceSeconds) => {
      const one = await setUp({ clockToleranceSeconds });
      const iat = now + Math.min(clockToleranceSeconds, 55);
      const exp = now + 3600;
      const late = await one.provider.logoutToken({ sid: one.sid, iat, exp });
      expect((await logOut(one, { sid: one.sid, iat, exp })).status).toBe(200);
      one.clock.advance((maxReplaySeconds - 1) * 1000);
      expect((await post(one.url, `logout_token=${late}`)).status).toBe(400);
    },
  );

  it.each([0, 5, 20, 55])(
    'has ten seconds to arrive from a provider whose clock is behind by the tolerance, %i seconds',
    async (clockToleranceSeconds) => {
      const one = await setUp({ clockToleranceSeconds });
      expect((await logOut(one, { sid: one.sid, iat: now - clockToleranceSeconds - 10 })).status).toBe(200);
    },
  );

  it('is refused when used ids cannot be remembered', async () => {
    const replays = fakeReplayGuard();
    const one = await setUp({ replays });
    replays.fill(true);
    expect((await logOut(one, { sid: one.sid })).status).toBe(400);
    expect(one.store.sessions.length).toBe(1);
  });

  it('can be sent again when the store did not remove the sessions', async () => {
    const one = await setUp();
    const body = `logout_token=${await one.provider.logoutToken({ sid: one.sid })}`;
    const { removeLabelled } = one.store;
    const fails: typeof removeLabelled = (label) => {
      one.store.failOnce(upstream('sessions', 'unreachable'));
      return removeLabelled(label);
    };
    Object.assign(one.store, { removeLabelled: fails });
    expect((await post(one.url, body)).status).toBe(400);
    Object.assign(one.store, { removeLabelled });
    expect((await post(one.url, body)).status).toBe(200);
    expect(one.store.sessions).toEqual([]);
    expect((await post(one.url, body)).status).toBe(400);
  });

  it('can be sent to another instance when the store was unavailable', async () => {
    const replays = fakeReplayGuard();
    const one = await setUp({ replays });
    const { clock, store, provider } = one;
    const two = await portal({ clock, store, provider, replays });
    const body = `logout_token=${await provider.logoutToken({ sid: one.sid })}`;
    store.failWith(upstream('sessions', 'unreachable'));
    expect((await post(one.url, body)).status).toBe(400);
    store.failWith(undefined);
    expect((await post(two.url, body)).status).toBe(200);
    expect(store.sessions).toEqual([]);
  });

  it('ends sessions of before a rotation of the keys', async () => {
    const one = await setUp();
    const { clock, store, provider } = one;
    const rotated = await portal({ clock, store, provider, keys: [someKey(2), someKey(1)] });
    expect((await logOut(rotated, { sid: one.sid })).status).toBe(200);
    expect(store.sessions).toEqual([]);
  });

  it('must be the only one of a form', async () => {
    const one = await setUp();
    const token = await one.provider.logoutToken({ sid: one.sid });
    const bodies = [
      post(one.url, ''),
      post(one.url, `logout_token=${token}&logout_token=${token}`),
      post(one.url, `logout_token=${token}`, 'text/plain'),
      post(one.url, JSON.stringify({ logout_token: token }), 'application/json'),
      post(one.url, `logout_token=${token}&a=${'a'.repeat(1_000_000)}`),
    ];
    expect((await Promise.all(bodies)).map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    expect(one.store.sessions.length).toBe(1);
  });
});
