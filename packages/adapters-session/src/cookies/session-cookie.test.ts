import type { ServerResponse } from 'node:http';
import { fakeClock } from '@portico/core/testing';
import { array, assert as holds, asyncProperty, constantFrom, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { portal, signedIn, someKey } from '../portal.test.support.ts';
import { readSessionKey, sealer } from './sealer.ts';

const name = '__Host-portico';

const large = 'a'.repeat(6000);

describe('a refreshed session', () => {
  it.each<readonly [string, (response: ServerResponse) => unknown]>([
    [
      'removes all headers, as Koa does for an error',
      (response) => {
        for (const header of response.getHeaderNames()) response.removeHeader(header);
        response.end();
      },
    ],
    [
      'replaces cookies and caching, as Fastify and Hono do',
      (response) =>
        response
          .writeHead(200, { 'Set-Cookie': 'own=1; Path=/; HttpOnly; SameSite=Lax', 'Cache-Control': 'max-age=60' })
          .end(),
    ],
  ])('keeps its cookie in a response whose framework %s', async (_, respond) => {
    const { clock, own, provider } = await signedIn({
      beforeResponse: async (_request, response) => respond(response),
    });
    clock.advance(280_000);
    const before = own.cookies.get(name);
    const { headers } = await own.send('/me/coverage');
    expect(own.cookies.get(name)).not.toBe(before);
    expect(headers.get('cache-control')).toBe('no-store');
    clock.advance(60_000);
    await own.send('/me/coverage');
    expect(provider.tokenRequests.length).toBe(2);
  });
});

describe('a large session', () => {
  it('is split over several cookies, and stale parts are removed', async () => {
    const { browser, cookies, provider, clock } = await signedIn({}, { tokens: { access_token: large } });
    expect([...cookies.keys()]).toEqual([`${name}.0`, `${name}.1`, `${name}.2`]);
    const { send } = browser(cookies);
    expect((await send('/me/coverage')).json['authorization']).toBe(`Bearer ${large}`);
    provider.behaviour.tokens = {};
    clock.advance(290_000);
    const smaller = browser(cookies);
    expect((await smaller.send('/me/coverage')).status).toBe(200);
    expect([...smaller.cookies.keys()]).toEqual([name]);
    provider.behaviour.tokens = { access_token: large };
    clock.advance(290_000);
    expect((await smaller.send('/me/coverage')).status).toBe(200);
    expect([...smaller.cookies.keys()]).toEqual([`${name}.0`, `${name}.1`, `${name}.2`]);
  });

  it('ends when it fits into no cookie after a refresh', async () => {
    const { browser, cookies, provider, clock } = await signedIn();
    provider.behaviour.tokens = { access_token: 'a'.repeat(12_000) };
    clock.advance(290_000);
    const { send, cookies: left } = browser(cookies);
    expect((await send('/me/coverage')).status).toBe(401);
    expect(left.size).toBe(0);
    expect(provider.revoked).toEqual([provider.issued[4]]);
  });
});

const altered = (value: string, index: number) =>
  value.slice(0, index) + (value[index] === 'A' ? 'B' : 'A') + value.slice(index + 1);

describe('a cookie', () => {
  const bad: readonly (readonly [string, (value: string) => string])[] = [
    ['is empty', () => `${name}=`],
    ['is garbage', () => `${name}=garbage`],
    ['is altered in its header', (value) => `${name}=${altered(value, 10)}`],
    ['is altered in its content', (value) => `${name}=${altered(value, value.length - 60)}`],
    ['is altered in its tag', (value) => `${name}=${altered(value, value.length - 10)}`],
    ['is cut', (value) => `${name}=${value.slice(0, -1)}`],
    ['is too large', () => `${name}=${'a'.repeat(13_000)}`],
    ['occurs twice', (value) => `${name}=${value}; ${name}=${value}`],
    ['is beside parts', (value) => `${name}=${value}; ${name}.0=${value}`],
    ['is a part without the first one', (value) => `${name}.1=${value}`],
    ['has parts with a gap', (value) => `${name}.0=${value}; ${name}.2=`],
    ['is a token that is not encrypted', () => `${name}=eyJhbGciOiJub25lIn0.e30.`],
  ];

  it.each(bad)('is treated as none when it %s', async (_, change) => {
    const { browser, cookies, names, received } = await signedIn();
    const cookie = change(cookies.get(name)!);
    const { send } = browser();
    const { status, headers } = await send('/me/coverage', { headers: { cookie } });
    expect(status).toBe(401);
    expect(received[0]!.headers).not.toHaveProperty('cookie');
    const sent = new Set(cookie.split('; ').map((pair) => pair.slice(0, pair.indexOf('='))));
    expect(headers.getSetCookie()).toEqual(
      [...sent].map((one) => `${one}=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0`),
    );
    expect(headers.get('cache-control')).toBe('no-store');
    const status2 = await send('/session', { headers: { cookie } });
    expect([status2.status, status2.json]).toEqual([200, { authenticated: false }]);
    expect(names()).toEqual(['sign-in', 'cookie-refused', 'cookie-refused']);
  });

  it('a cookie of any form is a session or none, and never an error', async () => {
    const { browser, cookies, received } = await signedIn();
    const value = cookies.get(name)!;
    const names = constantFrom(name, `${name}.0`, `${name}.1`, `${name}.99`, `${name}-login.aaaaaaaaaaaa`, 'other');
    const values = constantFrom(
      value,
      value.slice(0, 100),
      value.slice(100),
      '',
      '=',
      '"',
      'é',
      '%00',
      '....',
      'e30.e30.e30.e30.e30',
    );
    await holds(
      asyncProperty(array(tuple(names, values), { minLength: 1, maxLength: 4 }), async (pairs) => {
        const cookie = pairs.map((pair) => pair.join('=')).join('; ');
        const { status } = await browser().send('/me/coverage', { headers: { cookie } });
        const own = pairs.filter(([one]) => one.startsWith(name) && !one.includes('-login'));
        const expected = [[name], [`${name}.0`], [`${name}.0`, `${name}.1`]];
        const sorted = own.toSorted(([one], [another]) => one.localeCompare(another));
        const isComplete = expected.some((those) => those.join() === sorted.map(([one]) => one).join());
        const isWhole = isComplete && sorted.map(([, part]) => part).join('') === value;
        expect(status).toBe(isWhole ? 200 : 401);
      }),
      { numRuns: 100 },
    );
    expect(received.length).toBeGreaterThan(99);
  });

  it('has parts of one session only', async () => {
    const { browser, cookies } = await signedIn({}, { tokens: { access_token: large } });
    const other = browser();
    await other.signIn();
    const mixed = new Map(cookies).set(`${name}.1`, other.cookies.get(`${name}.1`)!);
    expect((await browser(mixed).send('/me/coverage')).status).toBe(401);
    const swapped = new Map(cookies)
      .set(`${name}.0`, cookies.get(`${name}.1`)!)
      .set(`${name}.1`, cookies.get(`${name}.0`)!);
    expect((await browser(swapped).send('/me/coverage')).status).toBe(401);
  });

  it('the cookie of a sign-in attempt is not a session', async () => {
    const { browser } = await portal();
    const { send, cookies } = browser();
    await send('/session/login');
    const [attempt = ''] = cookies.values();
    expect((await browser(new Map([[name, attempt]])).send('/me/coverage')).status).toBe(401);
  });

  it('the cookie of another provider or client is not a session', async () => {
    const { cookies, clock } = await signedIn();
    const other = await portal({ clock, client: { id: 'another', secret: 'secret' } });
    expect((await other.browser(cookies).send('/me/coverage')).status).toBe(401);
  });

  it('shows nothing of the tokens or the member', async () => {
    const { cookies, provider } = await signedIn();
    const [header = ''] = cookies.get(name)!.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
      kid: expect.stringMatching(/^[\w-]{8}$/) as string,
      typ: 'portico-session',
    });
    expect(provider.issued.some((token) => cookies.get(name)!.includes(token))).toBe(false);
  });

  it('a cookie of another host of the domain is not one of the session, although its name only differs in U+00A0', async () => {
    const { browser, cookies, received } = await signedIn();
    const value = cookies.get(name)!;
    const planted = `\u00A0${name}=${value}`;
    expect((await browser().send('/me/coverage', { headers: { cookie: planted } })).status).toBe(401);
    expect((await browser().send('/me/coverage', { headers: { cookie: `${name}=${value}; ${planted}` } })).status).toBe(
      200,
    );
    expect(received.map(({ headers }) => headers.cookie)).toEqual([planted, planted]);
  });

  it('is protected from other hosts of the domain by its name, except on loopback without TLS', async () => {
    const { cookies } = await signedIn();
    expect([...cookies.keys()]).toEqual(['__Host-portico']);
    for (const publicUrl of ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080'])
      expect([...(await signedIn({ publicUrl })).cookies.keys()]).toEqual(['portico-session']);
    for (const publicUrl of [
      'http://portal.example',
      'http://127.0.0.1.evil.example',
      'http://127.0.0.2',
      'http://a.localhost',
      'ftp://localhost',
      'portal',
    ])
      await expect(portal({ publicUrl })).rejects.toThrow('publicUrl must be an https URL');
  });
});

describe('keys', () => {
  it('can be rotated: all decrypt, and the first one encrypts', async () => {
    const { browser, cookies, clock, provider } = await signedIn();
    const rotated = await portal({ clock, provider, keys: [someKey(2), someKey(1)] });
    const { send, cookies: renewed } = rotated.browser(cookies);
    expect((await send('/me/coverage')).status).toBe(200);
    expect(renewed.get(name)).not.toBe(cookies.get(name));
    const last = await portal({ clock, provider, keys: [someKey(2)] });
    expect((await last.browser(renewed).send('/me/coverage')).status).toBe(200);
    expect((await last.browser(cookies).send('/me/coverage')).status).toBe(401);
    expect((await browser(renewed).send('/me/coverage')).status).toBe(401);
  });

  it('must have 32 bytes each', async () => {
    for (const keys of [[], [new Uint8Array(31)], [someKey(1), new Uint8Array(33)]])
      await expect(portal({ keys })).rejects.toThrow(TypeError);
    const bytes = Buffer.from(someKey(7));
    for (const text of [bytes.toString('hex'), bytes.toString('base64'), ` ${bytes.toString('base64url')}\n`])
      expect(readSessionKey(text)).toEqual(someKey(7));
    for (const text of ['', 'secret', 'a'.repeat(42), 'g'.repeat(64), `${bytes.toString('hex')}00`])
      expect(() => readSessionKey(text)).toThrow('A session key must be 32 random bytes');
  });

  it('seal each value differently, and open it only for its purpose', async () => {
    const one = sealer([someKey(1)]);
    const values = [await one.seal('portico-session', { a: 1 }), await one.seal('portico-session', { a: 1 })] as const;
    expect(values[0]).not.toBe(values[1]);
    expect(await one.open('portico-session', values[0])).toEqual({ payload: { a: 1 }, isCurrent: true });
    expect(await one.open('portico-stored', values[0])).toBeUndefined();
    expect(await one.open('portico-login', values[0])).toBeUndefined();
  });
});

it('sessions refuse settings that are not valid', async () => {
  const clock = fakeClock();
  for (const options of [
    { issuer: 'http://id.example' },
    { issuer: 'id.example' },
    { scope: 'profile' },
    { idleSeconds: 0 },
    { absoluteSeconds: Number.NaN },
    { absoluteSeconds: 1e13 },
    { clockToleranceSeconds: -1 },
    { clockToleranceSeconds: Number.NaN },
    { publicUrl: 'https://portal.example/?a=b' },
    { publicUrl: 'https://user:secret@portal.example' },
    ...['state', 'redirect_uri', 'response_mode', 'request'].map((parameter) => ({
      authorizeParameters: { [parameter]: 'a' },
    })),
    { authorizeParameters: { max_age: '15m' } },
  ])
    await expect(portal({ clock, ...options })).rejects.toThrow(TypeError);
});
