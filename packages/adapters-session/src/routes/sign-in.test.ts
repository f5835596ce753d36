import { createHash } from 'node:crypto';
import { fakeClock, fakeSessionStore } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { portal, signedIn } from '../portal.test.support.ts';
import { testProvider } from '../provider/provider.test.support.ts';

const failedAs = (code: string) => `https://portal.example/?session_error=${code}`;

describe('the authorization request', () => {
  it('has PKCE, state and nonce, and keeps the query of the endpoint', async () => {
    const { browser, provider } = await portal({ authorizeParameters: { audience: 'api' }, scope: 'openid email' });
    const { send, cookies } = browser();
    const { status, headers } = await send('/session/login?return_to=/claims');
    expect(status).toBe(303);
    expect(headers.get('cache-control')).toBe('private, no-store');
    const url = new URL(headers.get('location')!);
    expect(url.origin + url.pathname).toBe('https://id.example/authorize');
    const { state, nonce, code_challenge: challenge, ...others } = Object.fromEntries(url.searchParams);
    expect(others).toEqual({
      tenant: 'a',
      audience: 'api',
      client_id: 'portal',
      redirect_uri: 'https://portal.example/session/callback',
      response_type: 'code',
      scope: 'openid email',
      code_challenge_method: 'S256',
    });
    expect([state, nonce, challenge].map((value) => value?.length)).toEqual([43, 43, 43]);
    expect(JSON.stringify([...cookies])).not.toContain(nonce);
    const callback = provider.authorize(url.href);
    await send(callback.pathname + callback.search);
    const { code_verifier: verifier, authorization, ...token } = provider.tokenRequests[0]!;
    expect(createHash('sha256').update(verifier!).digest('base64url')).toBe(challenge);
    expect(authorization).toMatch(/^Basic /);
    expect(token).toEqual({
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code'),
      redirect_uri: 'https://portal.example/session/callback',
    });
  });

  it.each(['//evil.example', 'https://evil.example/', '/a&return_to=/b', '/session', '/session/logout'])(
    'is refused when the member would return to %s',
    async (returnTo) => {
      const { browser } = await portal();
      const { status, json, headers } = await browser().send(`/session/login?return_to=${returnTo}`);
      expect([status, json['code'], headers.get('location')]).toEqual([400, 'invalid-request', null]);
      expect(json['errors']).toEqual([
        { path: '/return_to', message: 'must be one path of this origin, but not /session or below it' },
      ]);
    },
  );

  it('returns to the first page by default', async () => {
    const { browser, provider } = await portal({ publicUrl: 'https://portal.example/base/' });
    const { send } = browser();
    const started = await send('/session/login');
    const callback = provider.authorize(started.headers.get('location')!);
    expect(callback.href).toMatch(/^https:\/\/portal\.example\/base\/session\/callback\?/);
    const { headers } = await send(`/session/callback${callback.search}`);
    expect(headers.get('location')).toBe('https://portal.example/base/');
  });
});

describe('a sign-in', () => {
  it('works in several tabs at the same time', async () => {
    const { browser, provider } = await portal();
    const { send, cookies } = browser();
    const started = [await send('/session/login?return_to=/a'), await send('/session/login?return_to=/b')];
    const callbacks = started.map(({ headers }) => provider.authorize(headers.get('location')!));
    const ended = [
      await send(`/session/callback${callbacks[1]!.search}`),
      await send(`/session/callback${callbacks[0]!.search}`),
    ];
    expect(ended.map(({ headers }) => headers.get('location'))).toEqual([
      'https://portal.example/b',
      'https://portal.example/a',
    ]);
    expect([...cookies.keys()]).toEqual(['__Host-portico']);
  });

  it('leaves room in the request header, however long the paths to return to are', async () => {
    const { send, cookies } = await signedIn({}, { tokens: { access_token: 'a'.repeat(8000) } });
    expect([...cookies.keys()]).toEqual(['__Host-portico.0', '__Host-portico.1', '__Host-portico.2']);
    for (let attempt = 0; attempt < 5; attempt++) {
      const { status } = await send(`/session/login?return_to=/${'a'.repeat(1400)}`);
      expect(status).toBe(303);
    }
    expect((await send('/me/coverage')).status).toBe(200);
  });

  it('keeps at most five attempts in cookies', async () => {
    const { browser } = await portal();
    const { send, cookies } = browser();
    for (let attempt = 0; attempt < 7; attempt++) await send('/session/login');
    expect(cookies.size).toBe(5);
  });

  it('cannot be completed twice', async () => {
    const { browser, provider } = await portal();
    const { send } = browser();
    const started = await send('/session/login');
    const { search } = provider.authorize(started.headers.get('location')!);
    expect((await send(`/session/callback${search}`)).headers.get('location')).toBe('https://portal.example/');
    expect((await send(`/session/callback${search}`)).headers.get('location')).toBe(failedAs('expired'));
    expect(provider.tokenRequests.length).toBe(1);
  });

  it('cannot be completed in a browser that did not begin it', async () => {
    const { browser, provider } = await portal();
    const started = await browser().send('/session/login');
    const { search } = provider.authorize(started.headers.get('location')!);
    const victim = browser();
    await victim.send('/session/login');
    expect((await victim.send(`/session/callback${search}`)).headers.get('location')).toBe(failedAs('expired'));
    expect(provider.tokenRequests).toEqual([]);
    expect([...victim.cookies.keys()].some((name) => name.endsWith('portico'))).toBe(false);
  });

  it('expires after ten minutes', async () => {
    const { browser, provider, clock } = await portal();
    const { send } = browser();
    const started = await send('/session/login');
    const { search } = provider.authorize(started.headers.get('location')!);
    clock.advance(600_000);
    expect((await send(`/session/callback${search}`)).headers.get('location')).toBe(failedAs('expired'));
  });

  it('fails with the code of another sign-in', async () => {
    const { browser, provider, events } = await portal();
    const attacker = await browser().send('/session/login');
    const stolen = provider.authorize(attacker.headers.get('location')!).searchParams.get('code')!;
    const victim = browser();
    const started = await victim.send('/session/login');
    const callback = provider.authorize(started.headers.get('location')!);
    callback.searchParams.set('code', stolen);
    expect((await victim.send(`/session/callback${callback.search}`)).headers.get('location')).toBe(failedAs('failed'));
    expect(events).toEqual([{ name: 'sign-in-failed', reason: 'failed', detail: 'invalid_grant' }]);
    expect(victim.cookies.size).toBe(0);
  });

  it.each([
    ['of another provider', (query: URLSearchParams) => query.set('iss', 'https://evil.example')],
    ['without the issuer that the provider announces', (query: URLSearchParams) => query.delete('iss')],
    ['with two codes', (query: URLSearchParams) => query.append('code', 'another')],
    ['without a code', (query: URLSearchParams) => query.delete('code')],
    ['with an ID token', (query: URLSearchParams) => query.set('id_token', 'e30.e30.e30')],
  ])('fails, and redeems nothing, for a response %s', async (_, change) => {
    const { browser, provider } = await portal();
    const { send } = browser();
    const started = await send('/session/login');
    const callback = provider.authorize(started.headers.get('location')!);
    change(callback.searchParams);
    expect((await send(`/session/callback${callback.search}`)).headers.get('location')).toBe(failedAs('failed'));
    expect(provider.tokenRequests).toEqual([]);
  });

  it.each([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another client', { aud: 'another' }],
    ['for several clients, and authorized for another', { aud: ['portal', 'another'], azp: 'another' }],
    ['with the nonce of another sign-in', { nonce: 'another' }],
    ['without a nonce', { nonce: undefined }],
    ['that has expired', { exp: 1_767_225_600 - 6 }],
    ['that does not expire', { exp: undefined }],
    ['without a subject', { sub: undefined }],
  ])('fails for an ID token %s', async (_, claims) => {
    const { browser, provider } = await portal();
    provider.behaviour.idToken = claims;
    const { signIn, cookies } = browser();
    expect((await signIn()).headers.get('location')).toBe(failedAs('failed'));
    expect(cookies.size).toBe(0);
  });

  it.each([
    ['an ID token without auth_time', undefined, failedAs('failed')],
    ['a password that was entered too long ago', 1_767_225_600 - 960, failedAs('failed')],
    ['a password that was entered recently enough', 1_767_225_600 - 840, 'https://portal.example/claims'],
  ])('ends as max_age requires for %s', async (_, authTime, location) => {
    const { browser, provider } = await portal({ authorizeParameters: { max_age: '900' } });
    provider.behaviour.idToken = { auth_time: authTime };
    expect((await browser().signIn()).headers.get('location')).toBe(location);
  });

  it('keeps to max_age when the provider asks for more after the password', async () => {
    const { browser, provider, clock } = await portal({ authorizeParameters: { max_age: '0' } });
    const { send } = browser();
    const started = await send('/session/login');
    provider.behaviour.idToken = { auth_time: clock.now() / 1000 + 1 };
    clock.advance(300_000);
    const { search } = provider.authorize(started.headers.get('location')!);
    expect((await send(`/session/callback${search}`)).headers.get('location')).toBe('https://portal.example/');
  });

  it('keeps to max_age on an instance whose clock is behind that of the instance where it began', async () => {
    const authorizeParameters = { max_age: '0' };
    const { browser, provider, clock } = await portal({ authorizeParameters });
    const { send, cookies } = browser();
    const started = await send('/session/login');
    provider.behaviour.idToken = { auth_time: clock.now() / 1000 + 1 };
    const { search } = provider.authorize(started.headers.get('location')!);
    const behind = { ...clock, now: () => clock.now() - 2000 };
    const other = await portal({ clock: behind, provider, authorizeParameters });
    const ended = await other.browser(cookies).send(`/session/callback${search}`);
    expect(ended.headers.get('location')).toBe('https://portal.example/');
  });

  it('accepts an ID token of a provider whose clock is a little ahead or behind', async () => {
    const { browser, provider } = await portal();
    for (const difference of [-4, 4]) {
      const now = 1_767_225_600 + difference;
      provider.behaviour.idToken = { iat: now, nbf: now, exp: Math.min(now + 1, now + 300) };
      expect((await browser().signIn()).headers.get('location')).toBe('https://portal.example/claims');
    }
  });

  it('fails for an ID token whose signature is not valid', async () => {
    const { browser, provider } = await portal();
    provider.behaviour.signsWithOtherKey = true;
    expect((await browser().signIn()).headers.get('location')).toBe(failedAs('failed'));
  });

  it('accepts an ID token that one of several keys with the same id has signed', async () => {
    const { browser, provider } = await portal();
    provider.behaviour.sharesKeyId = true;
    expect((await browser().signIn()).headers.get('location')).toBe('https://portal.example/claims');
  });

  it('fails without an ID token, and with a token that needs a proof', async () => {
    const { browser, provider } = await portal();
    for (const tokens of [{ id_token: undefined }, { token_type: 'DPoP' }, { access_token: 1 }]) {
      provider.behaviour.tokens = tokens;
      expect((await browser().signIn()).headers.get('location')).toBe(failedAs('failed'));
    }
  });

  it.each([
    ['access_denied', 'denied'],
    ['temporarily_unavailable', 'unavailable'],
    ['login_required', 'failed'],
    ['constructor', 'failed'],
    ['<script>', 'failed'],
  ])('fails with a code of a closed list when the provider refuses it with %s', async (error, code) => {
    const { browser, provider, events } = await portal();
    const { send } = browser();
    const started = await send('/session/login');
    const callback = provider.authorize(started.headers.get('location')!);
    callback.searchParams.delete('code');
    callback.searchParams.set('error', error);
    callback.searchParams.set('error_description', 'text-of-the-provider');
    const { headers } = await send(`/session/callback${callback.search}`);
    expect(headers.get('location')).toBe(failedAs(code));
    expect(JSON.stringify(events)).not.toMatch(/text-of|script|constructor/);
  });

  it('replaces an earlier session, whose id is never used again', async () => {
    const clock = fakeClock();
    const store = fakeSessionStore(clock);
    const { browser } = await portal({ clock, store });
    const attacker = browser();
    await attacker.signIn();
    // The attacker's cookie is planted in the victim's browser before the sign-in.
    const victim = browser(attacker.cookies);
    await victim.signIn();
    expect(victim.cookies.get('__Host-portico')).not.toBe(attacker.cookies.get('__Host-portico'));
    expect(store.sessions.length).toBe(1);
    expect((await attacker.send('/me/coverage')).status).toBe(401);
    expect((await victim.send('/me/coverage')).status).toBe(200);
  });

  it('does not adopt a session id that the browser sent', async () => {
    const clock = fakeClock();
    const { browser } = await portal({ clock, store: fakeSessionStore(clock) });
    const planted = 'A'.repeat(43);
    const { signIn, cookies } = browser(new Map([['__Host-portico', planted]]));
    await signIn();
    expect(cookies.get('__Host-portico')).toMatch(/^[\w-]{43}$/);
    expect(cookies.get('__Host-portico')).not.toBe(planted);
  });

  it('fails when the session fits into no cookie', async () => {
    const { browser, provider, events } = await portal();
    provider.behaviour.tokens = { access_token: 'a'.repeat(12_000) };
    const { signIn, cookies } = browser();
    expect((await signIn()).headers.get('location')).toBe(failedAs('failed'));
    expect([events, cookies.size]).toEqual([[{ name: 'sign-in-failed', reason: 'failed', detail: 'too-large' }], 0]);
    await expect.poll(() => provider.revoked).toEqual([provider.issued[1]]);
  });

  it('fails when the store does not respond', async () => {
    const clock = fakeClock();
    const store = fakeSessionStore(clock);
    store.failWith({ kind: 'upstream', service: 'sessions', reason: 'unreachable' });
    const { browser } = await portal({ clock, store });
    expect((await browser().signIn()).headers.get('location')).toBe(failedAs('unavailable'));
  });
});

describe('the provider', () => {
  it('gets another request after a failure', async () => {
    const { browser, provider } = await portal();
    provider.behaviour.fault = () => new Response('', { status: 503 });
    expect((await browser().send('/session/login')).headers.get('location')).toBe(failedAs('failed'));
    provider.behaviour.fault = () => Promise.reject(new TypeError('fetch failed'));
    expect((await browser().send('/session/login')).headers.get('location')).toBe(failedAs('unavailable'));
    provider.behaviour.fault = undefined;
    expect((await browser().signIn()).headers.get('location')).toBe('https://portal.example/claims');
  });

  it('gets one discovery request at a time, and no more for an hour', async () => {
    const { browser, provider, clock } = await portal();
    await Promise.all([1, 2, 3].map(() => browser().send('/session/login')));
    expect(provider.requests.length).toBe(1);
    clock.advance(3_599_000);
    await browser().send('/session/login');
    expect(provider.requests.length).toBe(1);
    clock.advance(1000);
    provider.behaviour.fault = () => new Response('', { status: 503 });
    expect((await browser().send('/session/login')).status).toBe(303);
    expect(provider.requests.length).toBe(2);
  });

  it('is cancelled after five seconds', async () => {
    const clock = fakeClock();
    const provider = testProvider(clock);
    provider.behaviour.fault = () => new Promise(() => {});
    const { browser } = await portal({ clock, provider });
    const response = browser().send('/session/login');
    await expect.poll(() => clock.scheduled).toBe(1);
    clock.advance(5000);
    expect((await response).headers.get('location')).toBe(failedAs('unavailable'));
  });

  it.each([
    ['names another issuer', { issuer: 'https://evil.example' }],
    ['has no authorization endpoint', { authorization_endpoint: undefined }],
    ['has an authorization endpoint without TLS', { authorization_endpoint: 'http://id.example/authorize' }],
    ['has an authorization endpoint that is a script', { authorization_endpoint: 'javascript:alert(1)' }],
    ['has keys without TLS', { jwks_uri: 'http://id.example/jwks' }],
  ])('is not used when its discovery document %s', async (_, metadata) => {
    const { browser, provider } = await portal();
    provider.behaviour.metadata = metadata;
    expect((await browser().send('/session/login')).headers.get('location')).toBe(failedAs('failed'));
  });

  it('gets no code or secret at a token endpoint without TLS', async () => {
    const { browser, provider } = await portal();
    provider.behaviour.metadata = { token_endpoint: 'http://id.example/token' };
    expect((await browser().signIn()).headers.get('location')).toBe(failedAs('unavailable'));
    expect(provider.tokenRequests).toEqual([]);
  });
});
