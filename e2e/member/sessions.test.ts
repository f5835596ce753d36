import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type SessionPortal, startSessionPortal } from './session-portal.ts';

/** The instances share the keys of their cookies, and nothing else. */
let portal: SessionPortal;

beforeAll(async () => {
  portal = await startSessionPortal({ instances: 2 });
});
afterAll(() => portal.close());
afterEach(() => void vi.useRealTimers());

const cookieName = 'portico-session';
const csrf = { 'x-portico-csrf': '1' };

/** Lets time pass for the portal and the identity provider. */
const pass = (seconds: number): void => {
  const now = Date.now() + 1000 * seconds;
  vi.useFakeTimers({ toFake: ['Date'], now });
};

const withCookie = (value: string | undefined) => ({ headers: { cookie: `${cookieName}=${value}` } });

describe('a browser session', () => {
  it('begins at the identity provider, and a cookie that scripts cannot read takes the place of the token', async () => {
    const browser = await portal.signedIn();
    const response = await browser.request(`${portal.url}/me/coverage`);
    expect([response.status, await response.json()]).toMatchObject([200, {}]);
    const status = await browser.request(`${portal.url}/session`);
    expect(await status.json()).toEqual({
      authenticated: true,
      expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
      name: expect.any(String),
    });
    const received = portal.sandbox.services.eligibility.requests.at(-1);
    expect(received?.headers['authorization']).toMatch(/^Bearer ey/);
    expect(received?.headers['cookie']).toBeUndefined();
  });

  it('returns to the page that it began from, with a cookie for this host only', async () => {
    const browser = await portal.signedIn();
    // The provider still knows the member, so it does not ask again.
    const begun = await browser.request(`${portal.url}/session/login?return_to=/livez?page=1`);
    const returned = await browser.request(begun.headers.get('location') ?? '');
    const ended = await browser.request(returned.headers.get('location') ?? '');
    expect([ended.status, ended.headers.get('location')]).toEqual([303, `${portal.url}/livez?page=1`]);
    const cookie = ended.headers.getSetCookie().find((one) => one.startsWith(`${cookieName}=`));
    expect(cookie?.split('; ').slice(1).toSorted()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax']);
    expect(ended.headers.get('cache-control')).toBe('private, no-store');
  });

  it('is served by any instance that has the keys', async () => {
    const browser = await portal.signedIn();
    const coverage = await Promise.all(
      portal.urls.map(async (url) => (await browser.request(`${url}/me/coverage`)).status),
    );
    expect(coverage).toEqual([200, 200]);
  });

  it('is bypassed by a request with an Authorization header', async () => {
    const browser = await portal.signedIn('member-a');
    const headers = { authorization: `Bearer ${await portal.sandbox.token('member-b')}` };
    const response = await browser.request(`${portal.url}/me/claims`, { headers });
    expect(await response.text()).not.toContain('CLM-1001');
    const refused = await browser.request(`${portal.url}/me/claims`, { headers: { authorization: 'Bearer x' } });
    expect(refused.status).toBe(401);
  });

  it.each(['garbage', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..a.b.c', ''])(
    'is not there with the cookie %j, which is cleared',
    async (value) => {
      const response = await fetch(`${portal.url}/me/coverage`, withCookie(value));
      expect(response.status).toBe(401);
      expect(response.headers.getSetCookie().join()).toMatch(/portico-session=;.*Max-Age=0/i);
    },
  );
});

const put = (headers: Readonly<Record<string, string>>) => ({
  method: 'PUT',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ dataSharing: true }),
});

describe('a change with a session', () => {
  it.each([
    ['without the header', {}],
    ['with another value of the header', { 'x-portico-csrf': '0' }],
    ['from another site', { ...csrf, 'sec-fetch-site': 'cross-site' }],
    ['from another subdomain', { ...csrf, 'sec-fetch-site': 'same-site' }],
  ])('is refused %s, and reaches no service', async (_, headers) => {
    const browser = await portal.signedIn();
    const before = portal.sandbox.services.consent.requests.length;
    const response = await browser.request(`${portal.url}/me/consent`, put(headers));
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'cross-site' }]);
    expect(portal.sandbox.services.consent.requests.length).toBe(before);
    expect((await browser.request(`${portal.url}/session/logout`, { method: 'POST', headers })).status).toBe(403);
    expect((await browser.request(`${portal.url}/me/coverage`)).status).toBe(200);
  });

  it('is accepted from the pages of the portal', async () => {
    const browser = await portal.signedIn();
    const response = await browser.request(
      `${portal.url}/me/consent`,
      put({ ...csrf, 'sec-fetch-site': 'same-origin' }),
    );
    expect(response.status).toBe(200);
  });
});

describe('the access token of a session', () => {
  it('is refreshed once for all requests that need it at the same time', async () => {
    const browser = await portal.signedIn();
    const before = browser.cookies('127.0.0.1').get(cookieName);
    const refreshes = portal.sandbox.identity.issued('refresh_token');
    pass(1000);
    const requests = Array.from({ length: 8 }, () => fetch(`${portal.url}/me/coverage`, withCookie(before)));
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(portal.sandbox.identity.issued('refresh_token')).toBe(refreshes + 1);

    // A tab that still has the old cookie gets the same tokens.
    expect((await browser.request(`${portal.url}/me/coverage`)).status).toBe(200);
    expect(browser.cookies('127.0.0.1').get(cookieName)).not.toBe(before);
    expect(portal.sandbox.identity.issued('refresh_token')).toBe(refreshes + 1);
    pass(300);
    expect((await browser.request(`${portal.url}/me/coverage`)).status).toBe(200);
  });

  it('is not refreshed for a session without requests for longer than the idle time', async () => {
    const browser = await portal.signedIn();
    pass(1801);
    expect((await browser.request(`${portal.url}/me/coverage`)).status).toBe(401);
    expect(browser.cookies('127.0.0.1').has(cookieName)).toBe(false);
  });
});

describe('the logout of a session', () => {
  it('ends it, also for a copy of its cookie on an instance that does not know about it', async () => {
    const browser = await portal.signedIn();
    const copy = withCookie(browser.cookies('127.0.0.1').get(cookieName));
    const response = await browser.request(`${portal.url}/session/logout`, { method: 'POST', headers: csrf });
    const { logout_url: logoutUrl } = (await response.json()) as { readonly logout_url: string };
    expect(browser.cookies('127.0.0.1').has(cookieName)).toBe(false);
    expect((await fetch(`${portal.url}/me/coverage`, copy)).status).toBe(401);
    // The refresh token was revoked: the copy ends with its access token.
    pass(880);
    expect((await fetch(`${portal.urls[1]}/me/coverage`, copy)).status).toBe(401);

    vi.useRealTimers();
    const page = await browser.signOut(logoutUrl);
    expect(page.url).toBe(`${portal.url}/`);
  });
});

it('a session of a client with a key is refreshed and revoked with that key', async ({ onTestFinished }) => {
  const other = await startSessionPortal({ hasKey: true });
  onTestFinished(() => other.close());
  const browser = await other.signedIn();
  pass(1000);
  expect((await browser.request(`${other.url}/me/coverage`)).status).toBe(200);
  expect(other.sandbox.identity.issued('refresh_token')).toBe(1);
  await browser.request(`${other.url}/session/logout`, { method: 'POST', headers: csrf });
  expect(await other.metrics()).toContain('portico_session_events_total{event="revocation-failed"} 0');
});

describe('the tokens of sessions', () => {
  it('are in no response to a browser, no line of the log and no metric', async () => {
    const browser = await portal.signedIn();
    const cookie = browser.cookies('127.0.0.1').get(cookieName)!;
    for (const path of [
      '/me/coverage',
      '/me/claims',
      '/session',
      '/session/backchannel-logout',
      '/session/login?return_to=//evil.example',
      '/session/x',
    ])
      await browser.request(portal.url + path);
    await browser.request(`${portal.url}/session/callback?code=canary-code&state=canary-state`);
    await browser.request(`${portal.url}/session/logout`, { method: 'POST', headers: csrf });

    const { tokens } = portal.sandbox.identity;
    expect(tokens.size).toBeGreaterThan(3);
    const metrics = await portal.metrics();
    const written = [...portal.seen.map(({ text }) => text), ...portal.log, metrics].join('\n');
    for (const token of tokens) expect(written).not.toContain(token.split('.').at(-1));
    for (const secret of [cookie, 'canary-', 'portal-secret']) expect(written).not.toContain(secret);
    expect(metrics).toMatch(/portico_session_events_total\{event="sign-in"\} [1-9]/);
    expect(metrics).toMatch(/portico_session_events_total\{event="sign-in-failed"\} [1-9]/);
  });

  it('belong to requests that the log names by their route, without a query', () => {
    const routes = portal.log.flatMap((line) => /"route":"([^"]*session[^"]*)"/.exec(line)?.[1] ?? []);
    expect([...new Set(routes)].toSorted()).toEqual([
      '/session',
      '/session/backchannel-logout',
      '/session/callback',
      '/session/login',
      '/session/logout',
    ]);
  });
});
