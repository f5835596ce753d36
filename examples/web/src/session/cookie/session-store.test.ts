import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { storageOf } from '../storage.test.support.ts';
import type { SessionStore } from './session-store.ts';

type Reply = Response | Error | Promise<Response>;
/** What the server returns, by path. */
let replies: Record<string, Reply>;
let sent: string[];
/** The member that each request names. */
let namedMembers: (string | undefined)[];
let left: string[];
let stored: Map<string, string>;
let kept: Map<string, string>;
let clears: number;
let tabs = 0;

/** All members of these tests have the same name. */
const signedIn = (member = 'A', headers = {}) =>
  Response.json(
    { authenticated: true, expires_at: '2100-01-01T00:00:00Z', name: 'Sample Member' },
    { headers: { 'X-Portico-Member': member, ...headers } },
  );
const signedInWithoutValue = (name: string) =>
  Response.json({ authenticated: true, expires_at: '2100-01-01T00:00:00Z', name });
const signedOut = () => Response.json({ authenticated: false });
const unauthenticated = () => Response.json({ code: 'unauthenticated' }, { status: 401 });

/** Loads the modules anew, as in another tab or after a redirect. */
const openTab = async (url = 'http://127.0.0.1/account') => {
  vi.resetModules();
  const location = Object.assign(new URL(url), { assign: (to: string) => void left.push(to) });
  const events = new EventTarget();
  vi.stubGlobal('window', {
    location,
    addEventListener: events.addEventListener.bind(events),
    dispatchEvent: events.dispatchEvent.bind(events),
    history: {
      replaceState: (_state: object, _title: string, path: string) => (location.href = new URL(path, url).href),
    },
    sessionStorage: storageOf(stored),
    localStorage: storageOf(kept),
  });
  const { createSessionStore } = await import('./session-store.ts');
  const drafts = await import('../drafts.ts');
  const tab = ++tabs;
  const store = createSessionStore(() => {
    // The tabs of earlier tests hear of a sign-out, too.
    if (tab === tabs) clears += 1;
  });
  return { store, drafts, location };
};

const announceSignOutElsewhere = async () => {
  vi.resetModules();
  const { announceSignOut } = await import('../member-data.ts');
  announceSignOut();
};

const refuse = async (store: SessionStore) => {
  replies['/me/profile'] = Response.json(
    { code: 'unauthenticated' },
    { status: 401, headers: { 'x-request-id': 'R1' } },
  );
  await expect(store.caller()((portico) => portico.getProfile())).rejects.toThrow();
};

beforeEach(() => {
  replies = { '/session': signedIn() };
  [sent, namedMembers, left, stored, kept, clears] = [[], [], [], new Map(), new Map(), 0];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const { pathname } = new URL(url, 'http://127.0.0.1');
    sent.push(`${init.method} ${pathname}`);
    namedMembers.push(new Headers(init.headers).get('X-Portico-Member') ?? undefined);
    const reply = replies[pathname];
    if (reply === undefined || reply instanceof Error) throw reply ?? new Error(`unexpected ${pathname}`);
    return (await reply).clone();
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it('a cookie session is signed in after the server has reported it', async () => {
  const { store } = await openTab();
  expect(store.state().kind).toBe('checking');
  await store.check();
  expect(store.state()).toMatchObject({ kind: 'signed-in', status: { name: 'Sample Member' }, hasEnded: false });
});

/** A tab of a member who is signed in, whose next read has begun. `slow` settles its response. */
const openTabThatReadsSlowly = async () => {
  const { store } = await openTab();
  await store.check();
  const slow = Promise.withResolvers<Response>();
  replies['/session'] = slow.promise;
  const first = store.check();
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  return { store, slow, first };
};

it('a cookie session that changes while it is read is read once more, for all requests of that time', async () => {
  const { store, slow, first } = await openTabThatReadsSlowly();
  replies['/session'] = signedIn('B');
  const others = [store.check(), store.check()];
  slow.resolve(signedIn('A'));
  await Promise.all([first, ...others]);
  expect([store.state(), sent.length]).toEqual([{ kind: 'signed-out' }, 3]);
});

it('a cookie session that has ended while it is read signs the member out after a refused call', async () => {
  const { store } = await openTab();
  await store.check();
  const [slow, call] = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
  Object.assign(replies, { '/session': slow.promise, '/me/coverage': call.promise });
  const refused = store.caller()((portico) => portico.getCoverage());
  await vi.waitFor(() => expect(sent.at(-1)).toBe('GET /me/coverage'));
  const first = store.check();
  await vi.waitFor(() => expect(sent.at(-1)).toBe('GET /session'));
  replies['/session'] = signedOut();
  call.resolve(unauthenticated());
  await expect(refused).rejects.toThrow();
  slow.resolve(signedIn());
  await first;
  await vi.waitFor(() => expect(store.state()).toEqual({ kind: 'signed-out', reason: 'ended' }));
});

it('a cookie session is unknown until the server can be reached', async () => {
  replies['/session'] = new TypeError('offline');
  const { store } = await openTab();
  await store.check();
  expect(store.state().kind).toBe('unknown');
  replies['/session'] = signedIn();
  await store.check();
  expect(store.state().kind).toBe('signed-in');
});

it('a cookie session stays signed in while the server cannot be reached', async () => {
  const { store } = await openTab();
  await store.check();
  replies['/session'] = new TypeError('offline');
  await store.check();
  expect(store.state().kind).toBe('signed-in');
});

it.each([
  ['denied', 'denied'],
  ['expired', 'expired'],
  ['unavailable', 'unavailable'],
  ['something-new', 'failed'],
])('a cookie session reports the failed sign-in %s once', async (code, signInError) => {
  replies['/session'] = signedOut();
  const { store, location } = await openTab(`http://127.0.0.1/?session_error=${code}`);
  await store.check();
  expect([store.state(), location.search]).toEqual([{ kind: 'signed-out', reason: { signInError } }, '']);
});

it('a refused call of a cookie session that has ended signs the member out and removes the data of the member', async () => {
  const { store } = await openTab();
  await store.check();
  replies['/session'] = signedOut();
  await refuse(store);
  await vi.waitFor(() => expect(store.state()).toEqual({ kind: 'signed-out', reason: 'ended' }));
  expect(clears).toBe(1);
});

it('a cookie session is read once for several refused calls', async () => {
  const { store } = await openTab();
  await store.check();
  replies['/session'] = signedOut();
  await Promise.all([refuse(store), refuse(store)]);
  await vi.waitFor(() => expect(store.state().kind).toBe('signed-out'));
  expect(sent.filter((request) => request === 'GET /session')).toHaveLength(2);
});

it('a call that is refused while the session is read for another one does not show the pages again', async () => {
  const { store } = await openTab();
  await store.check();
  const slow = Promise.withResolvers<Response>();
  const other = Promise.withResolvers<Response>();
  Object.assign(replies, { '/session': slow.promise, '/me/coverage': other.promise });
  const call = store.caller()((portico) => portico.getCoverage());
  await refuse(store);
  await vi.waitFor(() => expect(sent.at(-1)).toBe('GET /session'));
  other.resolve(unauthenticated());
  await expect(call).rejects.toThrow();
  const states: string[] = [];
  store.subscribe(() => states.push(store.state().kind));
  slow.resolve(signedIn());
  await vi.waitFor(() => expect(store.state().kind).toBe('not-accepted'));
  expect([states, sent.filter((request) => request === 'GET /session').length]).toEqual([
    ['signed-in', 'not-accepted'],
    2,
  ]);
});

it('a call that is refused after the session is not accepted does not show the pages again', async () => {
  const { store } = await openTab();
  await store.check();
  const slow = Promise.withResolvers<Response>();
  replies['/me/coverage'] = slow.promise;
  const call = store.caller()((portico) => portico.getCoverage());
  await refuse(store);
  await vi.waitFor(() => expect(store.state().kind).toBe('not-accepted'));
  const states: string[] = [];
  store.subscribe(() => states.push(store.state().kind));
  slow.resolve(unauthenticated());
  await expect(call).rejects.toThrow();
  await expect(store.caller()((portico) => portico.getProfile())).rejects.toMatchObject({
    failure: { kind: 'cancelled' },
  });
  expect([states, sent]).toEqual([[], ['GET /session', 'GET /me/coverage', 'GET /me/profile', 'GET /session']]);
});

it('a cookie session that has not ended is not accepted when the server refuses its token', async () => {
  const { store } = await openTab();
  await store.check();
  await refuse(store);
  await vi.waitFor(() => expect(store.state()).toEqual({ kind: 'not-accepted', reference: 'R1' }));
});

it('a page with unsaved changes stays when the session ends, and keeps them for the sign-in of the same member', async () => {
  const { store, drafts } = await openTab();
  await store.check();
  drafts.reportUnsaved('profile', new Map([['city', 'Springfield']]));
  replies['/session'] = signedOut();
  await refuse(store);
  await vi.waitFor(() => expect(store.state()).toMatchObject({ kind: 'signed-in', hasEnded: true }));
  store.signIn();
  expect(left).toEqual(['http://127.0.0.1/session/login?return_to=%2Faccount']);
  replies['/session'] = signedIn();
  const after = await openTab();
  await after.store.check();
  expect(after.drafts.restoredDraft('profile')).toEqual(new Map([['city', 'Springfield']]));
});

it('unsaved changes are dropped when another member of the same name signs in', async () => {
  const { store, drafts } = await openTab();
  await store.check();
  drafts.reportUnsaved('profile', new Map([['city', 'Springfield']]));
  store.signIn();
  replies['/session'] = signedIn('B');
  const after = await openTab();
  await after.store.check();
  expect([after.drafts.restoredDraft('profile'), [...stored]]).toEqual([undefined, [['portico:member', 'B']]]);
});

it('a cookie session shows nothing of a member after another one has signed in on another tab', async () => {
  const { store } = await openTab();
  await store.check();
  replies['/session'] = signedIn('B');
  await store.check();
  expect([store.state(), clears]).toEqual([{ kind: 'signed-out' }, 1]);
});

/** The event that a tab gets when a member signs in on another one. */
const signInElsewhere = (member: string) =>
  window.dispatchEvent(Object.assign(new Event('storage'), { key: 'portico:member', newValue: member }));

it('a cookie session cancels the calls of a member when another one signs in on another tab', async () => {
  const { store } = await openTab();
  await store.check();
  const saving = store.caller()((portico) => portico.getProfile());
  signInElsewhere('B');
  await expect(saving).rejects.toMatchObject({ failure: { kind: 'cancelled' } });
  expect([store.state(), clears]).toEqual([{ kind: 'signed-out' }, 1]);
});

/** Signs in as this member on a tab that shows `url`, and ends the session. */
const openTabWhoseSessionEnds = async (url: string) => {
  const tab = await openTab(url);
  await tab.store.check();
  replies['/session'] = signedOut();
  await tab.store.check();
  expect(tab.store.state()).toEqual({ kind: 'signed-out', reason: 'ended' });
  return tab;
};

const searchUrl = 'http://127.0.0.1/search?q=insulin';

it('a member returns to the URL of the page after the end of the session', async () => {
  const { location } = await openTabWhoseSessionEnds(searchUrl);
  expect(location.href).toBe(searchUrl);
  replies['/session'] = signedIn();
  const after = await openTab(searchUrl);
  await after.store.check();
  expect(after.location.href).toBe(searchUrl);
});

it('another member does not get the URL of the page after the end of the session', async () => {
  await openTabWhoseSessionEnds(searchUrl);
  replies['/session'] = signedIn('B');
  const after = await openTab(searchUrl);
  const urls: string[] = [];
  after.store.subscribe(() => urls.push(after.location.href));
  await after.store.check();
  expect(urls).toEqual(['http://127.0.0.1/']);
});

it('a claim whose outcome is not known keeps its key for the next sign-in of the same member only', async () => {
  stored.set('portico:member', 'A').set('portico:claim-submissions', '[{"key":"K1"}]');
  await openTabWhoseSessionEnds(searchUrl);
  replies['/session'] = signedIn();
  await (await openTab()).store.check();
  expect(stored.get('portico:claim-submissions')).toBe('[{"key":"K1"}]');
  replies['/session'] = signedIn('B');
  await (await openTab()).store.check();
  expect(stored.has('portico:claim-submissions')).toBe(false);
});

it('no key of a claim remains when the server sends no value that identifies the member', async () => {
  replies['/session'] = signedInWithoutValue('Sample Member A');
  stored.set('portico:claim-submissions', '[{"key":"K1"}]');
  await openTabWhoseSessionEnds(searchUrl);
  expect([...stored]).toEqual([]);
});

it('a member who has never signed in on this tab gets the page of the URL', async () => {
  kept.set('portico:member', 'B');
  const { store, location } = await openTab(searchUrl);
  await store.check();
  expect(location.href).toBe(searchUrl);
});

it.each([
  ['the member signs out on another tab', announceSignOutElsewhere],
  ['another member signs in on another tab', async () => signInElsewhere('B')],
])('a page loses its URL when %s', async (_event, happen) => {
  const { store, location } = await openTab(searchUrl);
  await store.check();
  await happen();
  await vi.waitFor(() => expect([store.state(), location.href]).toEqual([{ kind: 'signed-out' }, 'http://127.0.0.1/']));
});

it('a read of a session that began before another member signed in on another tab does not count', async () => {
  const { store } = await openTab();
  const slow = Promise.withResolvers<Response>();
  replies['/session'] = slow.promise;
  const first = store.check();
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  replies['/session'] = signedIn('B');
  signInElsewhere('B');
  slow.resolve(signedIn('A'));
  await first;
  await vi.waitFor(() => expect(store.state().kind).toBe('signed-in'));
  expect(kept.get('portico:member')).toBe('B');
});

it('a signed-out page that reads the session again keeps what it has stored for the sign-in', async () => {
  replies['/session'] = signedOut();
  const { store } = await openTab();
  await store.check();
  stored.set('portico:drafts', '{}');
  await store.check();
  expect(stored.get('portico:drafts')).toBe('{}');
});

it('a cookie session goes on when the same member signs in on another tab', async () => {
  const { store } = await openTab();
  await store.check();
  signInElsewhere('A');
  await store.check();
  expect([store.state().kind, clears]).toEqual(['signed-in', 0]);
});

it('a call does not wait for a read of the session', async () => {
  const { store } = await openTabThatReadsSlowly();
  replies['/me/profile'] = Response.json({ name: 'Sample Member A' });
  expect((await store.caller()((portico) => portico.getProfile())).value).toEqual({ name: 'Sample Member A' });
});

it('a call names the member of its page, and the page ends when the server refuses it for another one', async () => {
  const { store } = await openTab();
  await store.check();
  replies['/session'] = signedIn('B');
  await refuse(store);
  await vi.waitFor(() => expect(store.state()).toEqual({ kind: 'signed-out' }));
  expect([namedMembers, clears]).toEqual([[undefined, 'A', undefined], 1]);
});

it('a page that the server refuses for another member stays signed out, also when a read was requested before', async () => {
  const { store, slow } = await openTabThatReadsSlowly();
  const states: string[] = [];
  store.subscribe(() => states.push(store.state().kind));
  await refuse(store);
  slow.resolve(signedIn('B'));
  await store.check();
  await vi.waitFor(() => expect(sent.filter((request) => request === 'GET /session').length).toBeGreaterThan(1));
  expect([...new Set(states)]).toEqual(['signed-out']);
});

it('a page whose session is extended after another member has signed in is signed out', async () => {
  const { store } = await openTab();
  await store.check();
  Object.assign(replies, { '/session': signedIn('B'), '/me/coverage': unauthenticated() });
  await store.extend();
  expect(store.state()).toEqual({ kind: 'signed-out' });
});

it('a refused call decides nothing while the session cannot be read', async () => {
  const { store } = await openTab();
  await store.check();
  const states: string[] = [];
  store.subscribe(() => states.push(store.state().kind));
  replies['/session'] = new Error('offline');
  await refuse(store);
  await vi.waitFor(() => expect(sent.at(-1)).toBe('GET /session'));
  // Its read follows the one of the call.
  replies['/session'] = signedIn();
  await store.check();
  expect(states).toEqual(['signed-in']);
});

it('the pages of a member make no call for the next one', async () => {
  const { store } = await openTab();
  await store.check();
  const callOfFirst = store.caller();
  await announceSignOutElsewhere();
  await vi.waitFor(() => expect(store.state()).toEqual({ kind: 'signed-out' }));
  replies['/session'] = signedIn('B');
  await store.check();
  expect(store.state().kind).toBe('signed-in');
  await expect(callOfFirst((portico) => portico.getProfile())).rejects.toMatchObject({
    failure: { kind: 'cancelled' },
  });
  expect(sent).not.toContain('GET /me/profile');
});

it('a sign-in removes what the browser has stored for another member, and keeps the language', async () => {
  await (await openTab()).store.check();
  kept.set('portico:read-notifications', '["N-1"]').set('portico:language', 'de').set('other', '1');
  stored.set('portico:all-read', '');
  await (await openTab()).store.check();
  expect(kept.get('portico:read-notifications')).toBe('["N-1"]');
  replies['/session'] = signedIn('B');
  await (await openTab()).store.check();
  expect(Object.fromEntries(kept)).toEqual({ 'portico:member': 'B', 'portico:language': 'de', other: '1' });
  expect(Object.fromEntries(stored)).toEqual({ 'portico:member': 'B' });
});

it('the data of a member whose sign-in was not accepted is removed before that of another one is shown', async () => {
  const { store } = await openTab();
  await store.check();
  await refuse(store);
  await vi.waitFor(() => expect(store.state().kind).toBe('not-accepted'));
  await store.check();
  expect([store.state().kind, clears]).toEqual(['signed-in', 0]);
  await refuse(store);
  await vi.waitFor(() => expect(store.state().kind).toBe('not-accepted'));
  replies['/session'] = signedIn('B');
  await store.check();
  expect([store.state().kind, clears]).toEqual(['signed-in', 1]);
});

/** Signs member A out on another tab during a call of A, and then B in. `end` ends the call, which is returned. */
const callDuringWhichAnotherMemberSignsIn = async () => {
  const { store } = await openTab();
  await store.check();
  const { promise, resolve: end } = Promise.withResolvers<Response>();
  replies['/me/profile'] = promise;
  const call = store.caller()((portico) => portico.getProfile());
  await announceSignOutElsewhere();
  await vi.waitFor(() => expect(store.state()).toEqual({ kind: 'signed-out' }));
  replies['/session'] = signedIn('B');
  await store.check();
  expect(store.state().kind).toBe('signed-in');
  return { store, call, end };
};

it('a call that ends after another member has signed in delivers no result to the pages', async () => {
  const { call, end } = await callDuringWhichAnotherMemberSignsIn();
  end(Response.json({ name: { display: 'Sample Member A' } }));
  await expect(call).rejects.toMatchObject({ failure: { kind: 'cancelled' } });
});

it('a call that is refused after another member has signed in does not affect the session of that member', async () => {
  const { store, call, end } = await callDuringWhichAnotherMemberSignsIn();
  const states: string[] = [];
  store.subscribe(() => states.push(store.state().kind));
  end(unauthenticated());
  await expect(call).rejects.toMatchObject({ failure: { kind: 'cancelled' } });
  await store.check();
  expect(new Set(states)).toEqual(new Set(['signed-in']));
});

it('a cookie session compares members by name when the server sends no value', async () => {
  replies['/session'] = signedInWithoutValue('Sample Member A');
  const { store } = await openTab();
  await store.check();
  replies['/session'] = signedInWithoutValue('Sample Member B');
  await store.check();
  expect(store.state()).toEqual({ kind: 'signed-out' });
});

it('a cookie session signs out at the server first, then here, then at the provider', async () => {
  const { store } = await openTab();
  await store.check();
  replies['/session/logout'] = Response.json({ logout_url: 'https://id.example/end' });
  await store.signOut();
  expect([store.state(), clears, left]).toEqual([{ kind: 'signed-out' }, 1, ['https://id.example/end']]);
  expect(sent.at(-1)).toBe('POST /session/logout');
});

it('a cookie session that was read before a sign-out, and arrives after it, stays signed out', async () => {
  const { store } = await openTab();
  await store.check();
  const read = Promise.withResolvers<Response>();
  const reply = fetch;
  vi.stubGlobal('fetch', (url: string, init: RequestInit) =>
    url.endsWith('/session') ? read.promise : reply(url, init),
  );
  const checked = store.check();
  replies['/session/logout'] = Response.json({ logout_url: 'https://id.example/end' });
  await store.signOut();
  read.resolve(signedIn());
  await checked;
  expect(store.state()).toEqual({ kind: 'signed-out' });
});

it('a cookie session that is read for the first time during a sign-out on another tab stays signed out', async () => {
  const { store } = await openTab();
  const slow = Promise.withResolvers<Response>();
  replies['/session'] = slow.promise;
  const checked = store.check();
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  await announceSignOutElsewhere();
  await vi.waitFor(() => expect(store.state()).toEqual({ kind: 'signed-out' }));
  slow.resolve(signedIn());
  await checked;
  expect(store.state()).toEqual({ kind: 'signed-out' });
});

it('the session at the provider ends when a read reports the end of the session before the sign-out responds', async () => {
  const { store } = await openTab();
  await store.check();
  const slow = Promise.withResolvers<Response>();
  replies['/session/logout'] = slow.promise;
  const signedOutAtLast = store.signOut();
  replies['/session'] = signedOut();
  await store.check();
  slow.resolve(Response.json({ logout_url: 'https://id.example/end' }));
  await signedOutAtLast;
  expect([store.state().kind, left]).toEqual(['signed-out', ['https://id.example/end']]);
});

it('the session at the provider remains when Portico returns its own URL', async () => {
  const { store } = await openTab();
  await store.check();
  replies['/session/logout'] = Response.json({ logout_url: 'http://127.0.0.1/' });
  await store.signOut();
  expect([store.state(), left]).toEqual([{ kind: 'signed-out', reason: 'provider-session-remains' }, []]);
});

it('a cookie session keeps the same end when it is read again, although the clocks differ by another second', async () => {
  const { store } = await openTab();
  const endsAt = () => (store.state() as { readonly status: { readonly endsAt: number } }).status.endsAt;
  await store.check();
  const before = endsAt();
  replies['/session'] = signedIn('A', { date: 'Thu, 31 Dec 2099 00:00:00 GMT' });
  await store.check();
  expect(endsAt()).toBe(before);
});

it('a cookie session is extended by a request of the member, and read again', async () => {
  const { store } = await openTab();
  await store.check();
  replies['/me/coverage'] = Response.json({}, { status: 404 });
  await store.extend();
  expect(sent.slice(1)).toEqual(['GET /me/coverage', 'GET /session']);
});

it('a sign-out waits for Portico, which may wait twice for the identity provider', async () => {
  const { store } = await openTab();
  await store.check();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const reply = fetch;
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    await vi.advanceTimersByTimeAsync(10_100);
    return reply(url, init);
  });
  replies['/session/logout'] = Response.json({ logout_url: 'https://id.example/end' });
  await store.signOut();
  expect([store.state().kind, left]).toEqual(['signed-out', ['https://id.example/end']]);
});

const insecure = () => {
  throw new DOMException('The operation is insecure.', 'SecurityError');
};

it('a cookie session is unknown when the browser does not permit a page to store anything', async () => {
  const { store } = await openTab();
  Object.assign(window, { sessionStorage: { getItem: insecure }, localStorage: { setItem: insecure } });
  await store.check();
  expect(store.state()).toEqual({ kind: 'unknown' });
});

it('a cookie session stays signed in when signing out fails', async () => {
  const { store } = await openTab();
  await store.check();
  replies['/session/logout'] = Response.json({}, { status: 503 });
  await expect(store.signOut()).rejects.toMatchObject({ failure: { status: 503 } });
  expect([store.state().kind, clears, left]).toEqual(['signed-in', 0, []]);
});

it('a cookie session ends when the member signs out in another tab', async () => {
  const here = await openTab();
  await here.store.check();
  const other = await openTab();
  await other.store.check();
  replies['/session/logout'] = Response.json({ logout_url: 'https://id.example/end' });
  await other.store.signOut();
  await vi.waitFor(() => expect(here.store.state()).toEqual({ kind: 'signed-out' }));
});
