import { afterEach, describe, expect, it, vi } from 'vitest';
import { endSession, readSession, signInUrl } from './session-status.ts';

const now = Date.parse('2026-03-01T10:00:00Z');
const sent: Request[] = [];

/** The server returns this for the next request. */
const reply = (body: object, init: ResponseInit = {}) => {
  vi.useFakeTimers({ now, toFake: ['Date'] });
  sent.length = 0;
  vi.stubGlobal('fetch', async (path: string, options: RequestInit) => {
    sent.push(new Request(`http://127.0.0.1${path}`, options));
    return Response.json(body, init);
  });
};

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('the state of the session', () => {
  it('has the name of the member, what identifies the member, and the end', async () => {
    const headers = { 'X-Portico-Member': 'digest' };
    reply({ authenticated: true, expires_at: '2026-03-01T10:30:00Z', name: 'Sample Member A' }, { headers });
    expect(await readSession()).toEqual({
      isSignedIn: true,
      name: 'Sample Member A',
      member: 'digest',
      expiresAt: '2026-03-01T10:30:00Z',
      endsAt: now + 1_800_000,
    });
  });

  it('does not depend on the clock of the browser', async () => {
    const headers = { date: 'Sun, 01 Mar 2026 12:00:00 GMT' };
    reply({ authenticated: true, expires_at: '2026-03-01T12:30:00Z' }, { headers });
    expect(await readSession()).toMatchObject({ endsAt: now + 1_800_000 });
  });

  it.each([
    [{ authenticated: false }, 200],
    [{ code: 'unauthenticated' }, 401],
  ])('is signed out for %j with status %i', async (body, status) => {
    reply(body, { status });
    expect(await readSession()).toEqual({ isSignedIn: false });
  });

  it.each([
    [{}, 502],
    [{ authenticated: true }, 200],
    [{ authenticated: true, expires_at: 'soon' }, 200],
  ])('is unknown for %j with status %i', async (body, status) => {
    reply(body, { status });
    await expect(readSession()).rejects.toThrow('GET /session');
  });
});

describe('signing out', () => {
  it('sends the header that other sites cannot send', async () => {
    reply({ logout_url: 'https://id.example/end' });
    expect(await endSession()).toBe('https://id.example/end');
    expect([sent[0]?.method, sent[0]?.headers.get('x-portico-csrf')]).toEqual(['POST', '1']);
  });

  it.each([{}, { logout_url: null }, { logout_url: 'javascript:alert(1)' }])(
    'has no page at the provider with %j',
    async (body) => {
      reply(body);
      expect(await endSession()).toBeUndefined();
    },
  );

  it('has nothing left to do when the session has already ended', async () => {
    reply({}, { status: 401 });
    expect(await endSession()).toBeUndefined();
  });

  it('fails when the server does not confirm it', async () => {
    reply({}, { status: 503 });
    await expect(endSession()).rejects.toThrow('503');
  });
});

it.each([
  ['/search', '?q=a%26b', '/search?q=a%26b'],
  ['/sign-out', '', '/'],
])('signs in and returns from %s%s to %s', (pathname, search, path) => {
  const url = new URL(signInUrl({ pathname, search }), 'http://127.0.0.1');
  expect([url.pathname, url.searchParams.get('return_to')]).toEqual(['/session/login', path]);
});
