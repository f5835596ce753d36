import { invalid, notFound, unauthenticated, upstream } from '@portico/core';
import { fakeClock, type FakeSessionStore, fakeSessionStore } from '@portico/core/testing';
import { ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import {
  type Browser,
  ownPage,
  places,
  portal,
  type PortalOptions,
  signedIn,
  someKey,
} from '../portal.test.support.ts';
import { testProvider } from '../provider/provider.test.support.ts';

/** The access token that the route behind the session received. */
const tokenOf = async ({ send }: Browser): Promise<unknown> => (await send('/me/coverage')).json['authorization'];

/** Stops what awaits `pass()` until `release` is called. `held` resolves when the first one has arrived. */
const gate = () => {
  const first = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const pass = () => {
    first.resolve();
    return released.promise;
  };
  return { pass, held: first.promise, release: released.resolve };
};

/** Holds the responses of the token endpoint, whose tokens have been issued. */
const holdTokens = ({ behaviour }: ReturnType<typeof testProvider>) => {
  const { pass, held, release } = gate();
  behaviour.hold = (path) => (path === '/token' ? pass() : undefined);
  return { held, release };
};

/** Holds the responses of the route `/me/claims` behind the session. */
const holdClaims = () => {
  const { pass, held, release } = gate();
  const beforeResponse: PortalOptions['beforeResponse'] = async ({ url }) => url === '/me/claims' && pass();
  return { held, release, beforeResponse };
};

describe.each(places)('a session kept %s', (_, options) => {
  it('is refreshed 30 seconds before its access token expires', async () => {
    const { clock, own, provider, refreshes, names } = await signedIn(options());
    clock.advance(269_000);
    expect(await tokenOf(own)).toBe(`Bearer ${provider.issued[0]}`);
    clock.advance(1000);
    expect(await tokenOf(own)).toBe(`Bearer ${provider.issued[3]}`);
    expect(await tokenOf(own)).toBe(`Bearer ${provider.issued[3]}`);
    expect(refreshes()).toBe(1);
    expect(names()).toEqual(['sign-in', 'refresh']);
  });

  it('is refreshed again and again', async () => {
    const { clock, own, refreshes } = await signedIn(options());
    for (let time = 0; time < 5; time++) {
      clock.advance(280_000);
      expect((await own.send('/me/coverage')).status).toBe(200);
    }
    expect(refreshes()).toBe(5);
  });

  it('is refreshed once for requests at the same time', async () => {
    const { clock, own, provider, refreshes, browser } = await signedIn(options());
    clock.advance(400_000);
    const { held, release } = holdTokens(provider);
    const tabs = Array.from({ length: 5 }, () => browser(own.cookies));
    const tokens = tabs.map(tokenOf);
    await held;
    release();
    expect(new Set(await Promise.all(tokens))).toEqual(new Set([`Bearer ${provider.issued[3]}`]));
    expect(refreshes()).toBe(1);
  });

  it('serves a request that left the browser before the refresh', async () => {
    const { clock, own, provider, browser, refreshes } = await signedIn(options());
    const late = browser(own.cookies);
    clock.advance(280_000);
    await own.send('/me/coverage');
    clock.advance(59_000);
    expect(await tokenOf(late)).toBe(`Bearer ${provider.issued[3]}`);
    expect(refreshes()).toBe(1);
  });

  it('ends when the refresh is refused', async () => {
    const { clock, own, provider, names } = await signedIn(options());
    clock.advance(280_000);
    const refusal = Response.json({ error: 'invalid_grant' }, { status: 400 });
    provider.behaviour.fault = (path) => (path === '/token' ? refusal : undefined);
    expect((await own.send('/me/coverage')).status).toBe(401);
    expect((await own.send('/session')).json).toEqual({ authenticated: false });
    expect(own.cookies.size).toBe(0);
    expect(names().slice(0, 2)).toEqual(['sign-in', 'refresh-refused']);
  });

  it.each(['interaction_required', 'login_required', 'consent_required'])(
    'ends when the refresh fails with %s: only another sign-in helps',
    async (error) => {
      const { clock, own, provider, names } = await signedIn(options());
      provider.behaviour.fault = (path) => (path === '/token' ? Response.json({ error }, { status: 400 }) : undefined);
      clock.advance(280_000);
      expect((await own.send('/me/coverage')).status).toBe(401);
      expect(names()).toContain('refresh-refused');
    },
  );

  it('ends when the refresh is refused with a challenge', async () => {
    const { clock, own, provider } = await signedIn(options());
    clock.advance(280_000);
    const headers = { 'www-authenticate': 'Bearer error="invalid_grant"' };
    const refusal = () => Response.json({ error: 'invalid_grant' }, { status: 400, headers });
    provider.behaviour.fault = (path) => (path === '/token' ? refusal() : undefined);
    expect((await own.send('/me/coverage')).status).toBe(401);
    expect((await own.send('/session')).json).toEqual({ authenticated: false });
  });

  it('keeps its new tokens when the provider signs with a key that it has just begun to use', async () => {
    const { clock, own, provider, refreshes } = await signedIn(options());
    clock.advance(280_000);
    provider.behaviour.keyId = 'two';
    expect(await tokenOf(own)).toBe(`Bearer ${provider.issued[3]}`);
    expect(refreshes()).toBe(1);
  });

  it('is refreshed when its access token has an end that is not a number', async () => {
    const { clock, own, provider, refreshes } = await signedIn(options());
    const access_token = `x.${Buffer.from('{"exp":"never"}').toString('base64url')}.x`;
    provider.behaviour.tokens = { access_token, expires_in: undefined };
    clock.advance(280_000);
    for (let count = 0; count < 3; count++) await own.send('/me/coverage');
    expect(refreshes()).toBe(1);
  });

  it.each([
    ['does not respond', 'unreachable', () => Promise.reject(new TypeError('fetch failed'))],
    ['responds with 500', 'status', () => new Response('', { status: 500 })],
    ['responds with 429', 'status', () => new Response('', { status: 429 })],
    ['does not know the grant type', 'status', () => Response.json({ error: 'unauthorized_client' }, { status: 400 })],
    ['responds with 401', 'status', () => new Response('', { status: 401 })],
    [
      'refuses the client with a challenge',
      'status',
      () => Response.json({ error: 'invalid_client' }, { status: 401, headers: { 'www-authenticate': 'Basic' } }),
    ],
    ['refuses the client', 'status', () => Response.json({ error: 'invalid_client' }, { status: 401 })],
    ['responds with a page', 'malformed', () => new Response('<html>')],
    ['responds with too much', 'too-large', () => new Response('a'.repeat(1024 * 1024 + 1))],
    ['redirects', 'status', () => new Response('', { status: 302, headers: { location: 'https://evil.example' } })],
  ])(
    'serves requests until its access token expires, and then gets 502, when the provider %s',
    async (_, reason, fault) => {
      const { clock, own, provider, events, refreshes } = await signedIn(options());
      provider.behaviour.fault = (path) => (path === '/token' ? fault() : undefined);
      clock.advance(280_000);
      expect(await tokenOf(own)).toBe(`Bearer ${provider.issued[0]}`);
      expect(events.at(-1)).toEqual({ name: 'refresh-failed', reason });
      clock.advance(19_000);
      expect(await tokenOf(own)).toBe(`Bearer ${provider.issued[0]}`);
      clock.advance(1000);
      const { status, json } = await own.send('/me/coverage');
      expect([status, json['code'], json['service'], json['reason']]).toEqual([
        502,
        'upstream-failure',
        'identity',
        reason,
      ]);
      expect(JSON.stringify(json)).not.toMatch(/evil|html|id\.example/);
      expect(own.cookies.size).toBe(1);
      expect(refreshes()).toBe(2);
      provider.behaviour.fault = undefined;
      clock.advance(5000);
      expect(await tokenOf(own)).toBe(`Bearer ${provider.issued[3]}`);
    },
  );

  it('ends when the refreshed ID token is of another member', async () => {
    const { clock, own, provider } = await signedIn(options());
    provider.behaviour.idToken = { sub: 'member-2' };
    clock.advance(280_000);
    expect((await own.send('/me/coverage')).status).toBe(401);
    expect((await own.send('/session')).json).toEqual({ authenticated: false });
    expect(own.cookies.size).toBe(0);
  });

  it('is not refreshed with an ID token that another key has signed', async () => {
    const { clock, own, provider, events } = await signedIn(options());
    provider.behaviour.signsWithOtherKey = true;
    clock.advance(280_000);
    expect(await tokenOf(own)).toBe(`Bearer ${provider.issued[0]}`);
    expect(events.at(-1)).toEqual({ name: 'refresh-failed', reason: 'malformed' });
  });

  it('keeps its refresh token when the provider issues no new one', async () => {
    const { clock, own, provider } = await signedIn(options());
    provider.behaviour.tokens = { refresh_token: undefined, id_token: undefined };
    clock.advance(280_000);
    expect(await tokenOf(own)).toBe(`Bearer ${provider.issued[3]}`);
    await own.send('/session/logout', { method: 'POST', headers: ownPage });
    expect(provider.revoked).toEqual([provider.issued[1]]);
  });

  it('a session with a short access token is not refreshed for every request', async () => {
    const { clock, own, refreshes } = await signedIn(options(), { accessTokenSeconds: 8 });
    clock.advance(5000);
    await own.send('/me/coverage');
    expect(refreshes()).toBe(0);
    clock.advance(1000);
    await own.send('/me/coverage');
    await own.send('/me/coverage');
    expect(refreshes()).toBe(1);
  });

  it.each([true, false])('always has a token that lasts, when refresh tokens rotate: %s', async (rotates) => {
    const { clock, own, provider, browser, refreshes } = await signedIn(options(), { accessTokenSeconds: 40, rotates });
    const late = browser(own.cookies);
    for (let seconds = 10; seconds <= 180; seconds += 10) {
      clock.advance(10_000);
      const issuedBefore = provider.issued.length;
      const token = String(await tokenOf(seconds === 80 ? late : own)).slice('Bearer '.length);
      expect(provider.issued.indexOf(token)).toBe(provider.issued.length - 3);
      expect(provider.issued.length - issuedBefore).toBeLessThanOrEqual(3);
    }
    expect(refreshes()).toBe(6);
  });

  it('is not brought back by a refresh that ends after its logout', async () => {
    const { clock, own, provider, browser } = await signedIn(options());
    clock.advance(400_000);
    const { held, release } = holdTokens(provider);
    const background = browser(own.cookies);
    const slow = background.send('/me/coverage');
    await held;
    const loggedOut = own.send('/session/logout', { method: 'POST', headers: ownPage });
    await expect.poll(async () => (await browser(own.cookies).send('/session')).json['authenticated']).toBe(false);
    release();
    expect((await loggedOut).status).toBe(200);
    expect((await slow).status).toBe(401);
    expect((await background.send('/session')).json).toEqual({ authenticated: false });
    expect([own.cookies.size, background.cookies.size]).toEqual([0, 0]);
    // Both requests may revoke the token that the refresh received.
    await expect.poll(() => provider.revoked).toContain(provider.issued[4]);
  });

  it('does not clear the cookie of a sign-in that ended it during a refresh', async () => {
    const { clock, own, provider, browser } = await signedIn(options());
    clock.advance(400_000);
    const { held, release } = holdTokens(provider);
    const slow = browser(own.cookies);
    const late = slow.send('/me/coverage');
    await held;
    provider.behaviour.hold = undefined;
    await own.signIn();
    release();
    const { status, headers } = await late;
    expect([status, headers.getSetCookie()]).toEqual([401, []]);
    expect((await own.send('/me/coverage')).status).toBe(200);
  });

  it('revokes at logout the token that the browser did not get', async () => {
    const { clock, own, provider, browser } = await signedIn(options());
    clock.advance(280_000);
    const lost = browser(own.cookies);
    await lost.send('/me/coverage');
    await own.send('/session/logout', { method: 'POST', headers: ownPage });
    expect(provider.revoked).toEqual([provider.issued[4]]);
  });
});

describe('a session in the cookie', () => {
  it.each([
    ['does not respond', () => Promise.reject(new TypeError('fetch failed'))],
    ['responds with 503', () => new Response('', { status: 503 })],
    ['responds with a page', () => new Response('<html>')],
  ])('keeps its new tokens when the key set of the provider %s', async (_, fault) => {
    const { clock, own, provider } = await signedIn({});
    const other = await portal({ clock, provider });
    const { send } = other.browser(own.cookies);
    provider.behaviour.fault = (path) => (path === '/jwks' ? fault() : undefined);
    clock.advance(280_000);
    expect((await send('/me/coverage')).json['authorization']).toBe(`Bearer ${provider.issued[3]}`);
    clock.advance(280_000);
    expect((await send('/me/coverage')).json['authorization']).toBe(`Bearer ${provider.issued[6]}`);
  });

  it.each([
    ['is left out of a response that is sent after the next refresh', 130],
    ['is left out of a response that is sent shortly before the next refresh', 60],
  ])('lasts with slow responses: its cookie %s', async (_, slowSeconds) => {
    const { held, release, beforeResponse } = holdClaims();
    const { clock, own, browser } = await signedIn({ beforeResponse });
    clock.advance(200_000);
    const late = browser(own.cookies).send('/me/claims');
    await held;
    clock.advance(slowSeconds * 1000);
    await own.send('/me/coverage');
    release();
    expect((await late).headers.getSetCookie()).toEqual([]);
    clock.advance(60_000);
    expect((await own.send('/me/coverage')).status).toBe(200);
  });

  it.each([
    ['notes its use', 120_000],
    ['refreshes it', 280_000],
  ])('leaves the cookie of a later sign-in in the browser, with a slow response that %s', async (_, ms) => {
    const { held, release, beforeResponse } = holdClaims();
    const { clock, own, provider } = await signedIn({ beforeResponse });
    clock.advance(ms);
    const late = own.send('/me/claims');
    await held;
    const first = provider.issued.length;
    provider.behaviour.idToken = { sub: 'member-2' };
    await own.signIn();
    release();
    expect((await late).headers.getSetCookie()).toEqual([]);
    expect(await tokenOf(own)).toBe(`Bearer ${provider.issued[first]}`);
  });

  it('leaves the cookie of a later sign-in in the browser, with a slow response during which it expired', async () => {
    const { held, release, beforeResponse } = holdClaims();
    const { clock, own, provider } = await signedIn({ beforeResponse }, { tokens: { refresh_token: undefined } });
    clock.advance(120_000);
    const late = own.send('/me/claims');
    await held;
    clock.advance(200_000);
    expect((await own.send('/me/coverage')).status).toBe(401);
    const first = provider.issued.length;
    await own.signIn();
    release();
    expect((await late).headers.getSetCookie()).toEqual([]);
    expect(await tokenOf(own)).toBe(`Bearer ${provider.issued[first]}`);
  });

  it('sends its refreshed cookie however long the response takes', async () => {
    const { clock, own, provider, browser } = await signedIn({
      beforeResponse: async ({ url }) => void (url === '/me/claims' && clock.advance(280_000)),
    });
    clock.advance(280_000);
    await own.send('/me/claims');
    expect(await tokenOf(browser(own.cookies))).toBe(`Bearer ${provider.issued[6]}`);
  });

  it('lasts when an instance is refused the refresh that another one has made', async () => {
    const { clock, own, provider, browser } = await signedIn({});
    const other = await portal({ clock, provider });
    const late = other.browser(own.cookies);
    clock.advance(280_000);
    await own.send('/me/coverage');
    expect((await late.send('/me/coverage')).status).toBe(401);
    expect((await other.browser(own.cookies).send('/me/coverage')).status).toBe(200);
    expect((await browser(own.cookies).send('/me/coverage')).status).toBe(200);
  });

  it('ends when its old refresh token is used more than a minute after the refresh', async () => {
    const { clock, own, browser } = await signedIn({});
    const late = browser(own.cookies);
    clock.advance(280_000);
    await own.send('/me/coverage');
    clock.advance(60_000);
    expect((await late.send('/me/coverage')).status).toBe(401);
  });
});

/** Two instances with one store, and a browser that signed in on the first one. */
const instances = async () => {
  const clock = fakeClock();
  const store = fakeSessionStore(clock);
  const provider = testProvider(clock);
  const one = await signedIn({ clock, store, provider });
  const two = await portal({ clock, store, provider });
  return { ...one, store, two };
};

/** Makes the store fail the next attempts to replace a session. Returns how many are left. */
const failReplacing = (store: FakeSessionStore, attempts: number) => {
  const { replace } = store;
  let left = attempts;
  Object.assign(store, {
    replace: (...args: Parameters<typeof replace>) => {
      if (left-- > 0) store.failOnce(upstream('sessions', 'unreachable'));
      return replace(...args);
    },
  });
  return () => left;
};

describe('a session in a store', () => {
  it('is refreshed once by two instances', async () => {
    const { clock, own, provider, two, refreshes } = await instances();
    clock.advance(400_000);
    const { held, release } = holdTokens(provider);
    const first = tokenOf(own);
    await held;
    const second = tokenOf(two.browser(own.cookies));
    // The other instance waits for the lease.
    await expect.poll(() => clock.scheduled).toBeGreaterThan(1);
    release();
    expect(await first).toBe(`Bearer ${provider.issued[3]}`);
    clock.advance(100);
    expect(await second).toBe(`Bearer ${provider.issued[3]}`);
    expect(refreshes()).toBe(1);
  });

  it('is refreshed once by two instances when the store is slow and the time limit of the provider is short', async () => {
    const clock = fakeClock();
    const store = fakeSessionStore(clock);
    const provider = testProvider(clock);
    let passesMs = 0;
    const slow = {
      ...store,
      find: (id: string) => {
        clock.advance(passesMs);
        return store.find(id);
      },
    };
    const { own, refreshes } = await signedIn({ clock, store: slow, provider, timeoutMs: 100 });
    const two = await portal({ clock, store, provider, timeoutMs: 100 });
    await two.browser().send('/session/login');
    clock.advance(280_000);
    passesMs = 1000;
    const { held, release } = holdTokens(provider);
    const first = own.send('/me/coverage');
    await held;
    provider.behaviour.hold = undefined;
    expect((await two.browser(own.cookies).send('/me/coverage')).status).toBe(200);
    release();
    expect((await first).status).toBe(200);
    expect(refreshes()).toBe(1);
  });

  it('is served with its access token while another instance refreshes it', async () => {
    const { clock, own, provider, two } = await instances();
    clock.advance(280_000);
    const { held, release } = holdTokens(provider);
    const first = tokenOf(own);
    await held;
    expect(await tokenOf(two.browser(own.cookies))).toBe(`Bearer ${provider.issued[0]}`);
    release();
    await first;
  });

  it('is not brought back by a refresh that ends after a logout on another instance', async () => {
    const { clock, own, provider, two, store } = await instances();
    clock.advance(400_000);
    const { held, release } = holdTokens(provider);
    const slow = own.send('/me/coverage');
    await held;
    await two.browser(own.cookies).send('/session/logout', { method: 'POST', headers: ownPage });
    expect(store.sessions).toEqual([]);
    release();
    expect((await slow).status).toBe(401);
    expect(store.sessions).toEqual([]);
    expect(provider.revoked).toEqual([provider.issued[1], provider.issued[4]]);
  });

  it('is stored before the process may end, although its client has disconnected', async () => {
    const { clock, own, provider, store, settled, disconnected } = await instances();
    clock.advance(400_000);
    const { held, release } = holdTokens(provider);
    const gone = new AbortController();
    const aborted = own.send('/me/coverage', { signal: gone.signal }).catch(() => 'aborted');
    await held;
    const [before] = store.sessions;
    gone.abort();
    expect(await aborted).toBe('aborted');
    await disconnected;
    const ending = settled();
    release();
    await ending;
    expect(store.sessions[0]!.version).not.toBe(before!.version);
    expect((await own.send('/session')).json['authenticated']).toBe(true);
  });

  it('is not lost at a shutdown when the store did not take its refreshed tokens at first', async () => {
    const { clock, own, provider, store, two, settled, refreshes } = await instances();
    clock.advance(400_000);
    failReplacing(store, 1);
    const [before] = store.sessions;
    expect((await own.send('/me/coverage')).status).toBe(502);
    let isSettled = false;
    const ending = settled().then(() => {
      isSettled = true;
    });
    expect((await own.send('/session')).status).toBe(200);
    expect([isSettled, store.sessions[0]!.version]).toEqual([false, before!.version]);
    clock.advance(1000);
    await ending;
    expect(store.sessions[0]!.version).not.toBe(before!.version);
    expect(await tokenOf(two.browser(own.cookies))).toBe(`Bearer ${provider.issued[3]}`);
    expect(refreshes()).toBe(1);
  });

  it('does not delay a shutdown for longer than its lease when the store takes no tokens', async () => {
    const { clock, own, store, settled } = await instances();
    clock.advance(400_000);
    const failuresLeft = failReplacing(store, 100);
    expect((await own.send('/me/coverage')).status).toBe(502);
    const ending = settled();
    clock.advance(25_000);
    await ending;
    expect([failuresLeft(), clock.scheduled]).toEqual([98, 0]);
  });

  it('keeps refreshed tokens that the store did not take at first', async () => {
    const { clock, own, provider, store, refreshes } = await instances();
    clock.advance(400_000);
    failReplacing(store, 1);
    expect((await own.send('/me/coverage')).status).toBe(502);
    expect(await tokenOf(own)).toBe(`Bearer ${provider.issued[3]}`);
    expect(refreshes()).toBe(1);
  });

  it('is not ended by another instance while refreshed tokens are not stored yet', async () => {
    const { clock, own, provider, store, two, refreshes } = await instances();
    clock.advance(400_000);
    const failuresLeft = failReplacing(store, 2);
    const { release } = store;
    const stored = Promise.withResolvers<void>();
    Object.assign(store, {
      release: (...args: Parameters<typeof release>) => release(...args).map(() => stored.resolve()),
    });
    expect((await own.send('/me/coverage')).status).toBe(502);
    const elsewhere = tokenOf(two.browser(own.cookies));
    await expect.poll(() => clock.scheduled).toBeGreaterThan(1);
    // The second attempt to store the tokens fails, too.
    clock.advance(1000);
    await expect.poll(() => failuresLeft()).toBe(0);
    await expect.poll(() => clock.scheduled).toBeGreaterThan(1);
    clock.advance(1000);
    await stored.promise;
    await expect.poll(() => clock.scheduled).toBe(1);
    clock.advance(100);
    expect(await elsewhere).toBe(`Bearer ${provider.issued[3]}`);
    expect(refreshes()).toBe(1);
  });

  it('keeps the name of its member for the pages when the keys are rotated, and ends with the key of its sign-in', async () => {
    const { clock, own, provider, store } = await instances();
    const nameOf = async (keys: readonly Uint8Array[]) => {
      const { send } = (await portal({ clock, provider, store, keys })).browser(own.cookies);
      return (await send('/session')).headers.get('x-portico-member');
    };
    const before = await nameOf([someKey(1)]);
    expect(before).toMatch(/^[\w-]{43}$/);
    expect(await nameOf([someKey(2), someKey(1)])).toBe(before);
    // Sealed with the new key, but a logout of the provider would not find it without the old one.
    clock.advance(61_000);
    const rotated = await portal({ clock, provider, store, keys: [someKey(2), someKey(1)] });
    await rotated.browser(own.cookies).send('/me/coverage');
    expect(await nameOf([someKey(2)])).toBe(null);
  });

  it('is marked as used once by requests at the same time', async () => {
    const { clock, own, store, browser } = await instances();
    const { find, replace } = store;
    let [finds, replaced] = [0, 0];
    const allFound = Promise.withResolvers<void>();
    Object.assign(store, {
      find: (id: string) => {
        if (++finds === 10) allFound.resolve();
        const found = find(id);
        return new ResultAsync(allFound.promise.then(async () => found));
      },
      replace: (...args: Parameters<typeof replace>) => {
        replaced++;
        return replace(...args);
      },
    });
    clock.advance(70_000);
    const tabs = Array.from({ length: 10 }, () => browser(own.cookies));
    const statuses = await Promise.all(tabs.map(async ({ send }) => (await send('/me/coverage')).status));
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(replaced).toBe(10);
  });

  it('revokes its refresh token at a logout that the store did not take', async () => {
    const { own, provider, store } = await instances();
    const { remove } = store;
    Object.assign(store, {
      remove: (...args: Parameters<typeof remove>) => {
        store.failOnce(upstream('sessions', 'timeout'));
        return remove(...args);
      },
    });
    expect((await own.send('/session/logout', { method: 'POST', headers: ownPage })).status).toBe(502);
    expect(provider.revoked).toEqual([provider.issued[1]]);
  });

  it('keeps refreshed tokens while the store is unavailable for several minutes', async () => {
    const { clock, own, provider, store, refreshes } = await instances();
    clock.advance(400_000);
    const { replace } = store;
    const begins = (...args: Parameters<typeof replace>) => {
      store.failWith(upstream('sessions', 'unreachable'));
      return replace(...args);
    };
    Object.assign(store, { replace: begins });
    expect((await own.send('/me/coverage')).status).toBe(502);
    clock.advance(200_000);
    Object.assign(store, { replace });
    store.failWith(undefined);
    expect(await tokenOf(own)).toBe(`Bearer ${provider.issued[3]}`);
    expect(refreshes()).toBe(1);
  });

  it('keeps refreshed tokens when another request changes the session meanwhile', async () => {
    const { clock, own, provider, store } = await instances();
    clock.advance(400_000);
    const { replace, find } = store;
    let conflicts = 2;
    Object.assign(store, {
      replace: async (...args: Parameters<typeof replace>) => {
        if (conflicts-- > 0) {
          const newest = (await find(args[0])).unwrapOr(undefined)!;
          await replace(args[0], newest.version, { value: newest.value, expiresInMs: 1_000_000 });
        }
        return replace(...args);
      },
    });
    expect(await tokenOf(own)).toBe(`Bearer ${provider.issued[3]}`);
  });

  it('is not signed out while the store is unavailable', async () => {
    const { own, store } = await instances();
    store.failWith(upstream('sessions', 'unreachable'));
    for (const [path, method] of [
      ['/me/coverage', 'GET'],
      ['/session', 'GET'],
      ['/session/logout', 'POST'],
    ] as const) {
      const { status, json, headers } = await own.send(path, { method, headers: ownPage });
      expect([status, json['service'], headers.getSetCookie()]).toEqual([502, 'sessions', []]);
    }
    store.failWith(undefined);
    expect((await own.send('/me/coverage')).status).toBe(200);
  });

  it('is an internal error when a store fails as if the request were wrong', async () => {
    const { own, store } = await instances();
    for (const failure of [notFound('claims'), unauthenticated('invalid'), invalid('canary')]) {
      store.failWith(failure);
      const { status, json } = await own.send('/me/coverage');
      expect([status, json['code'], json['detail']]).toEqual([500, 'internal', 'An internal error occurred.']);
    }
  });

  it('shows nothing of its tokens, its member or its cookie in the store', async () => {
    const { own, provider, store } = await instances();
    const stored = JSON.stringify(store.sessions);
    // Each too long, or with another character, to be found by chance in what is encrypted.
    const hidden = [...provider.issued, ...own.cookies.values(), 'member-1', 'Mia Example', 'sid-', 'id.example'];
    for (const value of hidden) expect(stored).not.toContain(value);
    expect(store.sessions[0]!.labels.length).toBe(2);
  });

  it('cannot be copied to another id of the store', async () => {
    const { own, browser, store, provider } = await instances();
    const other = browser();
    await other.signIn();
    const [first, second] = store.sessions;
    await store.replace(second!.id, second!.version, { value: first!.value, expiresInMs: 1_000_000 });
    expect((await other.send('/me/coverage')).status).toBe(401);
    expect(await tokenOf(own)).toBe(`Bearer ${provider.issued[0]}`);
  });
});
