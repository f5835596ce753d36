import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ownPage, places, portal, type PortalOptions, someKey } from './portal.test.support.ts';
import { fakeClock, fakeSessionStore } from '@portico/core/testing';

describe.each(places)('a session kept %s', (_, options) => {
  it('turns the cookie into the access token', async () => {
    const { browser, provider, received, names } = await portal(options());
    const { send, signIn, cookies } = browser();
    const signedIn = await signIn('/claims?status=open#top');
    expect(signedIn.status).toBe(303);
    expect(signedIn.headers.get('location')).toBe('https://portal.example/claims?status=open#top');
    expect([...cookies.keys()]).toEqual(['__Host-portico']);
    const coverage = await send('/me/coverage');
    expect(coverage.json).toEqual({ authorization: `Bearer ${provider.issued[0]}` });
    expect(received[0]!.rawHeaders.filter((name) => /^(authorization|cookie)$/i.test(name))).toEqual(['Authorization']);
    expect(names()).toEqual(['sign-in']);
  });

  it('reports the session, and ends it at logout', async () => {
    const { browser, provider, names } = await portal(options());
    const { send, signIn, cookies } = browser();
    expect((await send('/session')).json).toEqual({ authenticated: false });
    await signIn();
    expect((await send('/session')).json).toEqual({
      authenticated: true,
      expires_at: '2026-01-01T00:30:00.000Z',
      name: 'Mia Example',
    });
    const copied = browser(cookies);
    const loggedOut = await send('/session/logout', { method: 'POST', headers: ownPage });
    expect(loggedOut.status).toBe(200);
    expect(loggedOut.json).toEqual({
      logout_url: 'https://id.example/logout?client_id=portal&post_logout_redirect_uri=https%3A%2F%2Fportal.example%2F',
    });
    expect(cookies.size).toBe(0);
    expect(provider.revoked).toEqual([provider.issued[1]]);
    expect((await copied.send('/me/coverage')).status).toBe(401);
    expect(names()).toEqual(['sign-in', 'sign-out', 'cookie-refused']);
  });
});

it.each([
  ['http://portal.example/session/login', 303],
  ['http://portal.example/session/login?return_to=/claims', 303],
  ['http://portal.example/claims/../session/login', 401],
  ['http://portal.example/%2e/session/login', 401],
  ['http://portal.example?/session/login', 401],
  ['/claims/../session/login', 401],
  ['*', 401],
])('sessions serve their routes only under their exact paths: %s', async (path, status) => {
  const { url } = await portal();
  const [response] = (await once(request(url, { path }).end(), 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(status);
  response.resume();
});

/** Signs this member in, and returns the value that identifies the member to the pages. */
const memberIn = async (options: PortalOptions, sub: string) => {
  const { browser, provider } = await portal(options);
  provider.behaviour.idToken = { sub };
  const { send, signIn } = browser();
  expect((await send('/session')).headers.get('x-portico-member')).toBeNull();
  await signIn();
  return (await send('/session')).headers.get('x-portico-member')!;
};

describe('the member of a session', () => {
  it('is the same opaque value in each session, and another one for each member and key', async () => {
    const [first, again, other, otherKey] = await Promise.all([
      memberIn({}, 'member-1'),
      memberIn({}, 'member-1'),
      memberIn({}, 'member-2'),
      memberIn({ keys: [someKey(2)] }, 'member-1'),
    ]);
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(again).toBe(first);
    expect(new Set([first, other, otherKey]).size).toBe(3);
  });

  it.each(places)('is checked when a page names it, in a session kept %s', async (_, options) => {
    const { browser, provider, received, names } = await portal(options());
    const page = (sub: string, cookies?: Map<string, string>) => {
      provider.behaviour.idToken = { sub };
      const { signIn, send, cookies: own } = browser(cookies);
      const call = (member: string) =>
        send('/me/profile', { method: 'PUT', headers: { ...ownPage, 'X-Portico-Member': member } });
      return {
        signIn,
        cookies: own,
        call,
        member: async () => (await send('/session')).headers.get('x-portico-member')!,
      };
    };
    const first = page('member-1');
    await first.signIn();
    const member = await first.member();
    expect((await first.call(member)).status).toBe(200);
    // On another tab of the same browser.
    const second = page('member-2', first.cookies);
    await second.signIn();
    const refused = await second.call(member);
    expect([refused.status, received.at(-1)!.headers.authorization, received.at(-1)!.headers.cookie]).toEqual([
      401,
      undefined,
      undefined,
    ]);
    expect(refused.headers.getSetCookie()).toEqual([]);
    expect((await second.call(`${member}, ${await second.member()}`)).status).toBe(401);
    expect((await second.call(await second.member())).status).toBe(200);
    expect(names()).toEqual(['sign-in', 'sign-in', 'other-member', 'other-member']);
  });

  it('is not what a store labels the sessions of the member with', async () => {
    const clock = fakeClock();
    const store = fakeSessionStore(clock);
    const labels: string[] = [];
    const recording: typeof store = {
      ...store,
      create: (id, entry) => {
        labels.push(...entry.labels);
        return store.create(id, entry);
      },
    };
    const member = await memberIn({ clock, store: recording }, 'member-1');
    expect(labels.length).toBeGreaterThan(0);
    expect(labels).not.toContain(member);
  });
});
